import type { ModelEvent } from '../ports/model-client.js';
import { finish, ScriptedModelClient, text } from '../testing/scripted-model-client.js';
import { loopAgent, TestRun } from '../testing/test-run.js';
import { ModelBatches } from './model-batches.js';

const WORDS = Array.from({ length: 5000 }, (_, index) => text(`word${index} `));

async function* batchesOf(...batches: (readonly ModelEvent[])[]): AsyncGenerator<readonly ModelEvent[], void, void> {
  await Promise.resolve();
  yield* batches;
}

async function readAll(batches: ModelBatches): Promise<(readonly ModelEvent[])[]> {
  const read: (readonly ModelEvent[])[] = [];
  for (let batch = await batches.next(); batch; batch = await batches.next()) read.push(batch);
  return read;
}

describe('ModelBatches', () => {
  const { signal } = new AbortController();

  it('small batches are returned unchanged and a large one is divided', async () => {
    const small = [text('a'), text('b')];
    const read = await readAll(new ModelBatches(batchesOf(small, WORDS, [finish()]), signal));
    expect(read[0]).toBe(small);
    expect(read.flat()).toEqual([...small, ...WORDS, finish()]);
    expect(Math.max(...read.map(({ length }) => length))).toBe(64);
  });

  it('an abort rejects at once while the model hangs, and closes the model call', async () => {
    const controller = new AbortController();
    let isLeft = false;
    const hanging: AsyncIterable<readonly ModelEvent[]> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => {
          isLeft = true;
          return new Promise(() => undefined);
        },
      }),
    };
    const batches = new ModelBatches(hanging, controller.signal);
    const next = batches.next();
    controller.abort(new Error('cancelled'));
    await expect(next).rejects.toThrow('cancelled');
    batches.close();
    expect(isLeft).toBe(true);
  });

  it('nothing is returned after an abort, not even events that have arrived', async () => {
    const controller = new AbortController();
    const batches = new ModelBatches(batchesOf(WORDS), controller.signal);
    await batches.next();
    controller.abort(new Error('cancelled'));
    await expect(batches.next()).rejects.toThrow('cancelled');
  });
});

describe('a model that sends its pieces one by one', () => {
  it('the loop has a checkpoint after every 16 events', async () => {
    const agent = loopAgent(new ScriptedModelClient([[...WORDS.slice(0, 40), finish()]]));
    const events = agent.run(new TestRun().context);
    let checkpoints = 0;
    while ((await events.next()).done !== true) checkpoints += 1;
    // One more before the first model call.
    expect(checkpoints).toBe(3);
  });
});

describe('a model that sends a whole answer at once', () => {
  it.each([
    ['in one batch', [{ type: 'batch', events: WORDS } as const, finish()]],
    ['in one batch per event, without waiting', [...WORDS, finish()]],
  ])('other work runs in between: %s', async (_, script) => {
    const run = new TestRun();
    const pieces = (): number => run.events.filter(({ object }) => object === 'content').length;
    const perTurn: number[] = [];
    let isOver = false;
    const watch = (): void => {
      perTurn.push(pieces() - perTurn.reduce((sum, count) => sum + count, 0));
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    await run.drive(loopAgent(new ScriptedModelClient([script])));
    isOver = true;
    // The last turn has the closing event too.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(65);
    expect(perTurn.length).toBeGreaterThanOrEqual(Math.floor(WORDS.length / 64));
    expect(pieces()).toBe(WORDS.length + 1);
  });
});
