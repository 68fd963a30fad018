import { NEVER_DRAINED, NO_WATCH } from '../../../test/support/caller.js';
import { AppError } from '../../common/index.js';
import type { Runs } from '../../run/index.js';
import { readSettings } from '../../config/index.js';
import { HttpSettings } from '../http/index.js';
import { ResumeCache } from './resume-cache.js';
import type { RunStream } from './run-stream.js';
import { RunStreams } from './run-streams.js';
import type { SessionOptions } from './stream-options.js';
import { DisconnectPolicy } from './disconnect-policy.js';
import { ALL_FRAMES, CountingWire, FakeClient, settled } from './testing/counting-wire.js';
import { MemoryRuns } from './testing/memory-runs.js';

const principal = { tenantId: 'default', userId: 'alice' };
const cursorOf = (seen: number) => ({ seen, ahead: (count: number) => new AppError('CURSOR_AHEAD', `of ${count}`) });

describe('RunStreams.followSession', () => {
  let runs: MemoryRuns;
  let wire: CountingWire;
  let client: FakeClient;
  let streams: RunStreams;

  beforeEach(() => {
    runs = new MemoryRuns();
    wire = new CountingWire();
    client = new FakeClient();
    const disconnects = new DisconnectPolicy(runs as unknown as Runs, NEVER_DRAINED);
    const encoders = new ResumeCache(readSettings(HttpSettings, {}));
    streams = new RunStreams(runs as unknown as Runs, NEVER_DRAINED, disconnects, encoders, NO_WATCH);
  });

  const session = (options: Partial<SessionOptions>): Promise<RunStream> =>
    streams.followSession(client, { principal, wire, sessionId: 's', waits: 'always', ...options });

  it('runs are yielded one after another, and the frames of the end once', async () => {
    const first = runs.add('r', 2);
    client.read(await session({ first, waits: 'never' }));
    await settled();
    runs.add('q');
    runs.finish('r');
    await settled();
    expect(client.frames).toEqual([...ALL_FRAMES.slice(0, -1), ...ALL_FRAMES]);
    expect(client.ended).toBe(true);
  });

  it('the first run of a session is awaited, and the next', async () => {
    client.read(await session({}));
    await settled();
    expect([client.accepted, client.frames]).toEqual([true, []]);
    runs.add('r');
    await settled();
    expect(client.frames).toEqual(ALL_FRAMES.slice(0, -1));
    runs.add('q', 2);
    await settled();
    expect(client.frames.slice(11)).toEqual(['first 1', '2']);
    runs.stop();
    await settled();
    expect(client.frames.at(-1)).toBe('cut after 2');
  });

  it('a waiting stream ends with the shutdown frame of its wire', async () => {
    client.read(await session({}));
    await settled();
    runs.stop();
    await settled();
    expect([client.frames, client.ended]).toEqual([['cut'], true]);
  });

  it('a cursor counts over all runs and is checked at the end', async () => {
    const first = runs.add('r');
    runs.add('q');
    client.read(await session({ first, waits: 'never', cursor: { ...cursorOf(15), of: 'all runs' } }));
    const ahead = new FakeClient();
    ahead.read(
      await streams.followSession(ahead, {
        ...{ principal, wire, sessionId: 's', waits: 'never', first },
        cursor: { ...cursorOf(23), of: 'all runs' },
      }),
    );
    await settled();
    expect(client.frames).toEqual(['first 5', ...ALL_FRAMES.slice(5)]);
    expect([ahead.frames, ahead.error]).toMatchObject([[], { message: 'of 22' }]);
  });

  it('a cursor in the first run is checked before the first frame', async () => {
    const first = runs.add('r');
    const cursor = (seen: number) => ({ ...cursorOf(seen), of: 'first run' as const });
    await expect(session({ first, cursor: cursor(12) })).rejects.toMatchObject({ message: 'of 11' });
    const stream = await session({ first, cursor: cursor(11) });
    expect(stream.isRead).toBe(true);
    client.read(stream);
    runs.add('q');
    await settled();
    expect(client.frames).toEqual(ALL_FRAMES.slice(0, -1));
  });
});
