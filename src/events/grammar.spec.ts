import { SequentialIds } from '../common/index.js';
import {
  BuilderError,
  ResponseBuilder,
  RUN_RECOVERED,
  StreamGrammar,
  type AgentEvent,
  type BuilderEvent,
} from './index.js';

/**
 * created, in_progress, message created, message in_progress, delta, delta, content completed, message completed,
 * response completed.
 */
function stream(): BuilderEvent[] {
  const response = new ResponseBuilder({ responseId: 'response_1', ids: new SequentialIds(), clock: { now: () => 0 } });
  return [...response.generateStreamingResponse(['a', 'b'])];
}

function refusal(events: readonly AgentEvent[]): string {
  const grammar = new StreamGrammar();
  for (const event of events) {
    try {
      grammar.accept(event);
    } catch (error) {
      expect(error).toMatchObject({ name: 'BuilderError', code: 'GRAMMAR' });
      return (error as BuilderError).message;
    }
  }
  return 'accepted';
}

/** The stream without, or with other, events: keys are positions. */
function edited(edits: Record<number, AgentEvent[]>): AgentEvent[] {
  return stream().flatMap((event, index): AgentEvent[] => edits[index] ?? [event]);
}

describe('StreamGrammar', () => {
  const [created, inProgress, announced, messageInProgress, first, , contentCompleted, messageCompleted, completed] =
    stream();

  it('the standard sequence is accepted and its end detected', () => {
    const grammar = new StreamGrammar();
    for (const event of stream()) {
      expect(grammar.terminated).toBe(false);
      grammar.accept(event);
    }
    expect(grammar.terminated).toBe(true);
  });

  it.each<[string, Record<number, AgentEvent[]>, string]>([
    ['in_progress first', { 0: [] }, 'response in_progress where created is due'],
    ['created twice', { 1: [created!] }, 'response created where in_progress is due'],
    [
      'another response',
      { 1: [{ ...inProgress!, id: 'response_2' } as AgentEvent] },
      'response response_2 within response response_1',
    ],
    ['a message before the response', { 0: [announced!] }, 'message msg_1 before the response is in progress'],
    ['an unannounced message', { 2: [] }, 'message msg_1 in_progress before created'],
    ['a message announced twice', { 3: [announced!] }, 'message msg_1 created after it was announced'],
    ['contents before in_progress', { 3: [] }, 'content of message msg_1, which is created'],
    [
      'contents of an unknown message',
      { 4: [{ ...first!, msg_id: 'msg_9' } as AgentEvent] },
      'content of message msg_9, which was not announced',
    ],
    [
      'a skipped slot',
      { 4: [{ ...first!, index: 1 } as AgentEvent] },
      'content 1 of message msg_1 where 0 is the next slot',
    ],
    [
      'a content that begins closed',
      { 4: [contentCompleted!] },
      'content 0 of message msg_1 completed before it was opened',
    ],
    [
      'a content that changes its type',
      { 5: [{ ...first!, type: 'refusal' } as AgentEvent] },
      'content 0 of message msg_1 changes from text to refusal',
    ],
    ['a delta after the closing', { 7: [first!] }, 'content 0 of message msg_1 after it is completed'],
    ['a content closed twice', { 7: [contentCompleted!] }, 'content 0 of message msg_1 after it is completed'],
    ['a message closed with an open content', { 6: [] }, 'message msg_1 completed while content 0 is open'],
    ['a message closed twice', { 8: [messageCompleted!] }, 'message msg_1 completed after it is completed'],
    ['completed with an open message', { 7: [] }, 'response completed while message msg_1 is open'],
    [
      'completed without its output',
      { 8: [{ ...completed!, output: [] } as AgentEvent] },
      'response completed with output [] instead of [msg_1]',
    ],
    ['a second terminal', { 8: [completed!, completed!] }, 'response completed after the terminal event'],
    [
      'a message after the terminal',
      { 8: [completed!, messageInProgress!] },
      'message in_progress after the terminal event',
    ],
    [
      'a state after the terminal',
      { 8: [completed!, { object: 'state', kind: 'delta', patch: [] }] },
      'state after the terminal event',
    ],
    [
      'a status without a place',
      { 1: [{ ...inProgress!, status: 'queued' }] },
      'response queued has no place in a stream',
    ],
  ])('%s is refused', (_, edits, sentence) => {
    expect(refusal(edited(edits))).toBe(sentence);
  });

  it('a failed response may cut messages off', () => {
    const failed = { ...completed!, status: 'failed' } as AgentEvent;
    expect(refusal([...stream().slice(0, 5), failed])).toBe('accepted');
    expect(refusal([created!, failed])).toBe('accepted');
  });

  it('messages that a recovery discards may begin again', () => {
    const recovered: AgentEvent = {
      object: 'custom',
      name: RUN_RECOVERED,
      value: { attempt: 2, discardedMessageIds: ['msg_1'] },
    };
    const empty = { ...completed!, output: [] } as AgentEvent;
    expect(refusal([...stream().slice(0, 5), recovered, empty])).toBe('accepted');
    expect(refusal([...stream().slice(0, 5), recovered, ...stream().slice(2)])).toBe('accepted');
  });
});
