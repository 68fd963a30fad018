import { RunControl } from './run-control.js';

const STOPPED = { name: 'RunStop', kind: 'shutdown' };

describe('a run that waits before a step while its process shuts down', () => {
  const never = new Promise<void>(() => undefined);
  const control = (): RunControl => new RunControl({ deadline: Number.POSITIVE_INFINITY });

  it.each(['leave', 'drain'] as const)('is handed over (%s)', async (end) => {
    const run = control();
    const waiting = run.wait(never, () => true);
    run[end]();
    await expect(waiting).rejects.toMatchObject(STOPPED);
    expect(run.stopped).toBe('shutdown');
  });

  it('is handed over if it begins to wait then', async () => {
    const run = control();
    run.leave();
    expect(run.stopped).toBeUndefined();
    await expect(run.wait(never, () => true)).rejects.toMatchObject(STOPPED);
  });

  it('goes on if another step of it is in progress', async () => {
    const run = control();
    run.leave();
    await run.wait(Promise.resolve(), () => false);
    expect(run.stopped).toBeUndefined();
  });

  it('ends with any other stop', async () => {
    const run = control();
    const waiting = run.wait(never, () => false);
    run.stop('cancel');
    await expect(waiting).rejects.toMatchObject({ kind: 'cancel' });
  });
});
