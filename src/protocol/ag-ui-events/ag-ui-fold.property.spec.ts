import fc from 'fast-check';
import { checkShapes, GENERATIONS, replay } from '../../../test/support/ag-ui-replay.js';
import { LoggedEvent, ResponseFold } from '../../events/index.js';
import { calls, endings, Interpreter } from '../../events/testing/random-program.js';
import { AgUiFold, toAgUiMessages } from './index.js';

const silent = { ...console, warn: () => undefined, error: () => undefined };

describe('AG-UI events of any log', () => {
  beforeAll(() => {
    jest.spyOn(console, 'warn').mockImplementation(silent.warn);
    jest.spyOn(console, 'error').mockImplementation(silent.error);
  });
  afterAll(() => jest.restoreAllMocks());

  it.each(GENERATIONS)('the %s client accepts them and has the same messages', async (generation) => {
    await fc.assert(
      fc.asyncProperty(calls, endings, async (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        const log = interpreter.texts.map((text, seq) => new LoggedEvent(seq, text));
        const fold = new AgUiFold({ threadId: 't', runId: 'r', generation });
        const events = log.flatMap((event) => fold.next(event));
        checkShapes(events);
        const { messages } = await replay(generation, events);
        const response = new ResponseFold();
        for (const { event } of log) response.apply(event);
        const shown = toAgUiMessages(response.response()?.output ?? [], generation);
        // Messages that a run cut off stay with the client as they are; those that ended are the same.
        const said = shown.filter(({ role }) => role === 'assistant' || role === 'reasoning' || role === 'tool');
        const ids = new Set(said.map(({ id }) => id));
        expect(messages.filter(({ id }) => ids.has(id)).map(plain)).toEqual(said.map(plain));
      }),
      { numRuns: 60 },
    );
  });
});

function plain(message: object): object {
  const { content, ...rest } = JSON.parse(JSON.stringify(message)) as { content?: unknown };
  return content === '' || content === undefined ? rest : { content, ...rest };
}
