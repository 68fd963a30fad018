import { NEVER_DRAINED, NO_WATCH } from '../../../test/support/caller.js';
import { AppError } from '../../common/index.js';
import { readSettings } from '../../config/index.js';
import type { Runs, RunView } from '../../run/index.js';
import { HttpSettings } from '../http/index.js';
import type { DisconnectPolicy, OnDisconnect } from './disconnect-policy.js';
import { ResumeCache } from './resume-cache.js';
import { RunStreams } from './run-streams.js';
import { ALL_FRAMES, CountingEncoder, CountingWire, FakeClient, settled } from './testing/counting-wire.js';
import { MemoryRuns } from './testing/memory-runs.js';

describe('RunStreams.resume after a stream was cut', () => {
  const disconnects = { left: () => undefined } as unknown as DisconnectPolicy;
  const cursorOf = (seen: number) => ({ seen, ahead: (count: number) => new AppError('CURSOR_AHEAD', `of ${count}`) });
  let runs: MemoryRuns;
  let wire: CountingWire;
  let client: FakeClient;
  let streams: RunStreams;
  let encoders: ResumeCache;

  beforeEach(() => {
    runs = new MemoryRuns();
    wire = new CountingWire();
    client = new FakeClient();
    encoders = new ResumeCache(readSettings(HttpSettings, {}));
    streams = new RunStreams(runs as unknown as Runs, NEVER_DRAINED, disconnects, encoders, NO_WATCH);
  });

  /** Reads the first two events of a run, then disconnects. */
  async function cut(onDisconnect: OnDisconnect = 'continue', lifetimeMs?: number): Promise<RunView> {
    const run = runs.add('r', 2);
    const first = new FakeClient();
    const leave = first.read(streams.follow(run, first, { wire, onDisconnect, lifetimeMs }));
    await settled();
    while (lifetimeMs !== undefined && !first.ended) await settled();
    leave();
    await settled();
    return run;
  }
  const encoded = (): number[] => wire.encoders.map((encoder) => encoder.encoded);

  it.each([
    [0, ['first 1', '2', '3'], [2, 11]],
    [1, ['first 2', '3'], [11, 0]],
    [2, ['first 3'], [11, 0]],
  ])('a client with %d frames gets the others, and only new events are encoded', async (seen, next, counts) => {
    const run = await cut();
    client.read(await streams.resume(run, client, { wire, cursor: cursorOf(seen) }));
    await settled();
    expect(client.frames).toEqual(next.slice(0, 2 - seen));
    runs.finish('r');
    await settled();
    expect([client.frames, encoded()]).toEqual([[...next, ...ALL_FRAMES.slice(3)], counts]);
  });

  it('a cursor ahead of the committed frames is refused', async () => {
    const run = await cut();
    const resumed = streams.resume(run, client, { wire, cursor: cursorOf(3) });
    await expect(resumed).rejects.toMatchObject({ code: 'CURSOR_AHEAD', message: 'of 2' });
  });

  it('an encoder serves one reader at a time, and many one after another', async () => {
    const run = await cut();
    const other = new FakeClient();
    const leave = client.read(await streams.resume(run, client, { wire, cursor: cursorOf(2) }));
    other.read(await streams.resume(run, other, { wire, cursor: cursorOf(2) }));
    runs.add('r', 5);
    await settled();
    leave();
    const third = new FakeClient();
    third.read(await streams.resume(runs.add('r', 5), third, { wire, cursor: cursorOf(4) }));
    runs.finish('r');
    await settled();
    expect([client.frames, third.frames]).toEqual([
      ['first 3', '4', '5'],
      ['first 5', ...ALL_FRAMES.slice(5)],
    ]);
    expect(other.frames).toEqual(['first 3', ...ALL_FRAMES.slice(3)]);
    expect(encoded()).toEqual([11, 0, 11, 0]);
  });

  it.each([
    [1, ['first 2', '3', '4', '5']],
    [3, ['first 4', '5']],
    [4, ['first 5']],
  ])('a client with %d frames gets the others if one with 4 has used the encoder of one with 2', async (seen, next) => {
    await cut();
    const ahead = new FakeClient();
    const leave = ahead.read(await streams.resume(runs.add('r', 5), ahead, { wire, cursor: cursorOf(4) }));
    await settled();
    leave();
    await settled();
    client.read(await streams.resume(runs.add('r', 5), client, { wire, cursor: cursorOf(seen) }));
    await settled();
    expect([ahead.frames, client.frames]).toEqual([['first 5'], next]);
  });

  it('nothing is kept of a stream that stopped before the frames of its client', async () => {
    const run = { ...runs.add('r', 2), lastSeq: 5 };
    client.read(await streams.resume(run, client, { wire, cursor: cursorOf(4), lifetimeMs: 1 }));
    await settled();
    expect([client.ended, encoders.size]).toEqual([true, 0]);
  });

  it('a stream that reached its lifetime is continued, too', async () => {
    const run = await cut('continue', 1);
    client.read(await streams.resume(run, client, { wire, cursor: cursorOf(2) }));
    runs.finish('r');
    await settled();
    expect([client.frames, encoded()]).toEqual([
      ['first 3', ...ALL_FRAMES.slice(3)],
      [11, 0],
    ]);
  });

  it('nothing is kept of a run that ended or was cancelled, or of a log that could not be read', async () => {
    await cut('cancel');
    client.read(streams.follow(runs.add('s'), client, { wire }));
    client.read(streams.follow(runs.add('t', 2), client, { wire }));
    await settled();
    runs.fail(new AppError('DATABASE_ERROR'));
    await settled();
    expect([client.error, encoders.size]).toMatchObject([{ code: 'DATABASE_ERROR' }, 0]);
  });

  it('nothing is kept of an encoder that prepares itself', async () => {
    const encoder = new CountingEncoder();
    encoder.prepare = () => new Promise(() => undefined);
    const leave = client.read(streams.follow(runs.add('r', 2), client, { wire, encoder }));
    await settled();
    leave();
    expect(encoders.size).toBe(0);
  });
});
