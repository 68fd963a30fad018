import fc from 'fast-check';
import { ResponseFold, RUN_RECOVERED, serializeEvent, StreamGrammar, type AgentEvent } from './index.js';
import { calls, endings, Interpreter, LaterIds } from './testing/random-program.js';

const runs = { numRuns: 40 };

function accept(log: readonly AgentEvent[]): StreamGrammar {
  const grammar = new StreamGrammar();
  for (const event of log) grammar.accept(event);
  return grammar;
}

function fold(log: readonly AgentEvent[]): ResponseFold {
  const result = new ResponseFold();
  for (const event of log) result.apply(event);
  return result;
}

describe('any sequence of builder calls', () => {
  it('a legal stream is recorded whose fold and JSON are the response, and illegal calls record nothing', () => {
    fc.assert(
      fc.property(calls, endings, (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        const before = fold(interpreter.log).response();
        if (before) expect(before).toEqual(interpreter.response.getResponseData());
        interpreter.try(() => interpreter.end(ending));
        expect(accept(interpreter.log).terminated).toBe(true);
        const parsed = interpreter.texts.map((text) => JSON.parse(text) as AgentEvent);
        expect(parsed).toEqual(interpreter.log);
        expect(fold(parsed).response()).toEqual(interpreter.response.getResponseData());
        expect(interpreter.log.at(-1)).toEqual(interpreter.response.getResponseData());
      }),
      runs,
    );
  });

  it('recorded events never change', () => {
    fc.assert(
      fc.property(calls, endings, (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        expect(interpreter.log.map(serializeEvent)).toEqual(interpreter.texts);
        for (const event of interpreter.log) if (event.object !== 'custom') expect(isDeeplyFrozen(event)).toBe(true);
      }),
      runs,
    );
  });

  it('everything after the terminal event is refused', () => {
    fc.assert(
      fc.property(calls, endings, calls, (program, ending, more) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        const length = interpreter.log.length;
        interpreter.run(more.filter(({ what }) => what !== 'discard'));
        expect(interpreter.log.length).toBe(length);
      }),
      { numRuns: 20 },
    );
  });

  it('a stream that is cut anywhere can be resumed from its fold and closed', () => {
    fc.assert(
      fc.property(calls, fc.nat(), calls, endings, (program, cut, more, ending) => {
        const first = new Interpreter();
        first.run(program);
        const prefix = first.log.slice(0, cut % (first.log.length + 1));
        const folded = fold(prefix);
        const second = new Interpreter(folded.response(), new LaterIds());
        for (const message of second.response.openMessages()) message.incomplete();
        const discardedMessageIds = folded.openMessageIds();
        second.response.discard(discardedMessageIds);
        second.log.push({ object: 'custom', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds } });
        second.run(more);
        second.try(() => second.end(ending));
        const whole = [...prefix, ...second.log];
        expect(accept(whole).terminated).toBe(true);
        expect(fold(whole).response()).toEqual(second.response.getResponseData());
      }),
      runs,
    );
  });

  it('open messages and contents continue after a resume', () => {
    fc.assert(
      fc.property(calls, fc.nat(), calls, (program, cut, more) => {
        const first = new Interpreter();
        first.run(program.filter(({ what }) => what !== 'discard'));
        const prefix = first.log.slice(0, cut % (first.log.length + 1));
        const second = new Interpreter(fold(prefix).response(), new LaterIds());
        second.run(more);
        second.try(() => second.end('completed'));
        const whole = [...prefix, ...second.log];
        expect(accept(whole).terminated).toBe(true);
        expect(fold(whole).response()).toEqual(second.response.getResponseData());
      }),
      runs,
    );
  });
});

function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen);
}
