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

  describe.each([
    ['of events in memory', true],
    ['of stored events', false],
  ])('pieces of one text, %s,', (_, isInMemory) => {
    const base = { object: 'content', status: 'in_progress', error: null, index: 0, delta: true } as const;
    const loggedOf = (event: AgentEvent): LoggedEvent =>
      new LoggedEvent(0, serializeEvent(event), isInMemory ? event : undefined);
    const piece = (text: string | null, more: object = {}): LoggedEvent =>
      loggedOf({ ...base, type: 'text', msg_id: 'm,"text":"', text, ...more });
    const { textPieceHead: head } = piece('one');
    if (!head) throw new Error('The first piece has no head');

    it.each(['two', '', 'a "quoted" \\ line\n', '\ud800', '汉'])(
      'are the head, the characters and the end: %j',
      (text) => {
        const characters = piece(text).charactersAfter(head);
        expect(`${head.json}${characters}"}`).toBe(piece(text).json);
      },
    );

    it.each<[string, LoggedEvent]>([
      ['another content', piece('two', { index: 1 })],
      ['another message', piece('two', { msg_id: 'other' })],
      ['a whole value', piece('two', { delta: false })],
      ['a closed content', piece('two', { status: 'completed', delta: false })],
      ['an error', piece('two', { error: { code: 'X', message: 'y' } })],
      ['no text', piece(null)],
      ['a refusal', loggedOf({ ...base, type: 'refusal', msg_id: 'm,"text":"', refusal: ',"text":"' })],
      ['data', loggedOf({ ...base, type: 'data', msg_id: 'm', data: { a: 1, text: 'two' } })],
    ])('do not include %s', (_name, event) => expect(event.charactersAfter(head)).toBeUndefined());

    it('are those of texts only', () => {
      expect(piece('two', { status: 'completed', delta: false }).textPieceHead).toBeUndefined();
      expect(piece(null).textPieceHead).toBeUndefined();
      const refusal = { ...base, type: 'refusal', msg_id: 'm', refusal: ',"text":"' } as const;
      expect(loggedOf(refusal).textPieceHead).toBeUndefined();
      const data = { ...base, type: 'data', msg_id: 'm', data: { a: 1, text: 'two' } } as const;
      expect(loggedOf(data).textPieceHead).toBeUndefined();
    });
  });
});
