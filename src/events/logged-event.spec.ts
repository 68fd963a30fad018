import fc from 'fast-check';
import { type AgentEvent, LoggedEvent, serializeEvent } from './index.js';
import { calls, endings, Interpreter } from './testing/random-program.js';

/** What can be told of an event without its JSON's members: from the event itself, and from the text alone. */
function factsOf(event: AgentEvent, known: boolean): unknown[] {
  const logged = new LoggedEvent(0, serializeEvent(event), known ? event : undefined);
  const { kind, status, isTerminal, closedMessageId, closedContent, textPieceHead } = logged;
  return [kind, status, isTerminal, closedMessageId, closedContent, textPieceHead];
}

const OTHERS: readonly AgentEvent[] = [
  { object: 'state', kind: 'delta', patch: [] },
  { object: 'step', name: 'plan', status: 'started' },
  { object: 'activity', kind: 'snapshot', id: 'a', activity_type: 't', content: { status: 'completed' } },
  { object: 'custom', name: 'status', value: { status: 'completed' } },
  { object: 'raw', event: { object: 'response', status: 'completed' } },
  { object: 'subagent', status: 'finished', id: 's' },
  {
    object: 'interrupt',
    id: 'i',
    reason: 'client_tool',
    message: null,
    call_ids: [],
    response_schema: null,
    items: [],
  },
];

describe('LoggedEvent', () => {
  it('an event and its JSON have the same properties', () => {
    fc.assert(
      fc.property(calls, endings, (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        for (const event of interpreter.log) expect(factsOf(event, false)).toEqual(factsOf(event, true));
        const terminal = interpreter.texts.map((text, seq) => new LoggedEvent(seq, text).isTerminal);
        expect(terminal.indexOf(true)).toBe(terminal.length - 1);
      }),
      { numRuns: 40 },
    );
  });

  it.each(OTHERS.map((event) => [event.object, event] as const))(
    'the kind and the status of %s are known',
    (kind, event) => {
      const logged = new LoggedEvent(3, serializeEvent(event));
      expect(logged).toMatchObject({
        seq: 3,
        kind,
        status: 'status' in event ? event.status : null,
        isTerminal: false,
      });
      expect(factsOf(event, false)).toEqual(factsOf(event, true));
      expect(logged.event).toEqual(event);
    },
  );

  it('pieces of one text are recognized by their prefix', () => {
    const piece = (text: string, more: object = {}): LoggedEvent => {
      const head = {
        object: 'content',
        status: 'in_progress',
        error: null,
        type: 'text',
        index: 0,
        delta: true,
      } as const;
      return new LoggedEvent(0, serializeEvent({ ...head, msg_id: 'm,"text":"', text, ...more }));
    };
    const head = piece('one').textPieceHead ?? '';
    expect(piece('two').continues(head)).toBe(true);
    expect(piece('').continues(head)).toBe(true);
    expect(piece('two', { index: 1 }).continues(head)).toBe(false);
    expect(piece('two', { msg_id: 'other' }).continues(head)).toBe(false);
    expect(piece('two', { status: 'completed', delta: false }).textPieceHead).toBeUndefined();
    const refusal = {
      object: 'content',
      status: 'in_progress',
      type: 'refusal',
      index: 0,
      delta: true,
      msg_id: 'm',
    } as const;
    expect(new LoggedEvent(0, serializeEvent({ ...refusal, refusal: ',"text":"' })).textPieceHead).toBeUndefined();
  });
});
