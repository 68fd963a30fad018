import { SequentialIds, type JsonObject } from '../../common/index.js';
import { type AgentEvent, ResponseBuilder } from '../../events/index.js';
import { closePartialOutput, NO_PARTIAL_STATE } from './run-recovery.js';

const clock = { now: () => 1_795_253_520_000 };

describe('closePartialOutput', () => {
  it('closes open messages of finished steps as incomplete and discards the others, then says so', () => {
    const events: AgentEvent[] = [];
    const first = new ResponseBuilder({ sessionId: 's', ids: new SequentialIds(), clock, sink: () => undefined });
    first.created();
    first.inProgress();
    const [kept, dropped] = ['kept', 'dropped'].map((text) => {
      const message = first.createMessageBuilder('assistant');
      message.createContentBuilder('text').addTextDelta(text);
      return message.id;
    }) as [string, string];

    const resume = first.getResponseData();
    const response = new ResponseBuilder({
      sessionId: 's',
      ids: new SequentialIds(),
      clock,
      resume,
      sink: (event) => events.push(event),
    });
    const step = {
      key: 'model:0',
      status: 'finished',
      inputHash: 'h',
      output: null,
      messageIds: [kept],
      startedAt: null,
    };
    const partial = { ...NO_PARTIAL_STATE, response: resume, steps: [step as never] };
    closePartialOutput(response, partial, 2, (event) => events.push(event));

    const closed = events.filter(({ object }) => object === 'message') as unknown as JsonObject[];
    expect(closed.map(({ id, status }) => [id, status])).toEqual([
      [kept, 'incomplete'],
      [dropped, 'incomplete'],
    ]);
    expect(events.at(-1)).toMatchObject({
      object: 'custom',
      name: 'run.recovered',
      value: { attempt: 2, discardedMessageIds: [dropped], resumedFromStep: 1 },
    });
    expect(response.openMessages()).toEqual([]);
    expect(response.getResponseData().output).toMatchObject([{ id: kept, status: 'incomplete' }]);
  });
});
