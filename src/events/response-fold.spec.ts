import { SequentialIds } from '../common/index.js';
import { ResponseBuilder, ResponseFold, RUN_RECOVERED, type AgentEvent, type BuilderEvent } from './index.js';

function partial(): { response: ResponseBuilder; events: BuilderEvent[] } {
  const response = new ResponseBuilder({ ids: new SequentialIds(), clock: { now: () => 0 } });
  const content = response.createMessageBuilder().createContentBuilder();
  content.addTextDelta('He');
  content.addTextDelta('llo');
  return { response, events: response.drain() };
}

function fold(events: readonly AgentEvent[]): ResponseFold {
  const result = new ResponseFold();
  for (const event of events) result.apply(event);
  return result;
}

describe('ResponseFold', () => {
  it('the fold is empty before the first event', () => {
    expect(new ResponseFold().response()).toBeUndefined();
  });

  it('open contents are accumulated', () => {
    const { response, events } = partial();
    const folded = fold(events);
    expect(folded.response()).toEqual(response.getResponseData());
    expect(folded.response()?.output).toMatchObject([
      { status: 'in_progress', content: [{ text: 'Hello', status: 'in_progress' }] },
    ]);
    expect(folded.openMessageIds()).toEqual(['msg_1']);
    expect(folded.isEnded).toBe(false);
  });

  it('events outside the response are ignored', () => {
    const { events } = partial();
    const others: AgentEvent[] = [
      { object: 'state', kind: 'snapshot', snapshot: {} },
      { object: 'step', name: 'plan', status: 'started' },
      { object: 'activity', kind: 'delta', id: 'a', activity_type: 'PLAN', patch: [] },
      { object: 'custom', name: 'note', value: { discardedMessageIds: ['msg_1'] } },
      { object: 'interrupt', id: 'i', reason: 'input', message: null, call_ids: [], response_schema: null, items: [] },
    ];
    expect(fold(events.flatMap((event) => [event, ...others])).response()).toEqual(fold(events).response());
  });

  it('discarded messages are removed, also if their completion follows', () => {
    const { response, events } = partial();
    const recovered: AgentEvent = {
      object: 'custom',
      name: RUN_RECOVERED,
      value: { attempt: 2, discardedMessageIds: ['msg_1'] },
    };
    const closings = response.discard(['msg_1']);
    for (const log of [
      [...events, ...closings, recovered],
      [...events, recovered, ...closings],
    ]) {
      const folded = fold(log);
      expect(folded.response()?.output).toEqual([]);
      expect(folded.messageIds()).toEqual([]);
      expect(folded.message('msg_1')).toBeUndefined();
    }
    expect(fold([...events, recovered, ...events.slice(2)]).response()?.output).toMatchObject([
      { content: [{ text: 'Hello' }] },
    ]);
  });

  it('the messages are kept if the terminal event has no output', () => {
    const { response, events } = partial();
    const failed = { ...response.getResponseData(), status: 'failed', output: null } as const;
    const folded = fold([...events, failed]);
    expect(folded.isEnded).toBe(true);
    expect(folded.response()).toMatchObject({ status: 'failed', output: [{ content: [{ text: 'Hello' }] }] });
  });
});
