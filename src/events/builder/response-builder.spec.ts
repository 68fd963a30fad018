import { SequentialIds } from '../../common/index.js';
import { ResponseFold, serializeEvent, StreamGrammar } from '../index.js';
import { ResponseBuilder } from './response-builder.js';

const clock = { now: () => 1_795_253_520_987 };

function builder(): ResponseBuilder {
  return new ResponseBuilder({ sessionId: 's1', responseId: 'response_1', ids: new SequentialIds(), clock });
}

describe('ResponseBuilder', () => {
  it('streams tokens in the standard sequence of seven events and one per token', () => {
    const events = [...builder().generateStreamingResponse(['Hello'])];
    expect(events.map((event) => `${event.object} ${event.status}`)).toEqual([
      'response created',
      'response in_progress',
      'message created',
      'message in_progress',
      'content in_progress',
      'content completed',
      'message completed',
      'response completed',
    ]);
    const grammar = new StreamGrammar();
    const fold = new ResponseFold();
    for (const event of events) {
      grammar.accept(event);
      fold.apply(event);
      expect(JSON.parse(serializeEvent(event))).toEqual(event);
    }
    expect(grammar.terminated).toBe(true);
    expect(fold.response()).toEqual(events.at(-1));
  });
});
