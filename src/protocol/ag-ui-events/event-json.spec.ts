import fc from 'fast-check';
import { LoggedEvent } from '../../events/index.js';
import { calls, endings, Interpreter } from '../../events/testing/random-program.js';
import { AgUiFold } from './ag-ui-fold.js';
import { eventJson } from './event-json.js';

describe('the JSON of AG-UI events', () => {
  const text = fc.oneof(fc.constantFrom('m1', 'm2', '"', '\\', '\ud800'), fc.string({ unit: 'binary' }));
  const piece = fc.record({
    type: fc.constantFrom('TEXT_MESSAGE_CONTENT' as const, 'REASONING_MESSAGE_CONTENT' as const),
    messageId: text,
    delta: text,
  });
  const ofSubagent = fc.tuple(piece, text).map(([event, subagentRunId]) => ({ ...event, subagentRunId }));

  it('pieces of text are written as by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, ofSubagent)), (events) => {
        for (const event of events) {
          expect(eventJson(event)).toBe(JSON.stringify(event));
          expect(eventJson(event, ',"timestamp":1')).toBe(JSON.stringify({ ...event, timestamp: 1 }));
        }
      }),
    );
  });

  it('every event of any log is written as by JSON.stringify', () => {
    fc.assert(
      fc.property(calls, endings, (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        const fold = new AgUiFold({ threadId: 't', runId: 'r', generation: 'v1' });
        for (const [seq, line] of interpreter.texts.entries()) {
          for (const event of fold.next(new LoggedEvent(seq, line))) {
            expect(eventJson(event, ',"timestamp":7')).toBe(JSON.stringify({ ...event, timestamp: 7 }));
          }
        }
      }),
    );
  });
});
