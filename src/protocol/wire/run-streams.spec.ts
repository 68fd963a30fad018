import { getEventListeners } from 'node:events';
import { NO_WATCH } from '../../../test/support/caller.js';
import { type AbortLike, AppError } from '../../common/index.js';
import { LightAbortSignal } from '../../runtime/index.js';
import type { Runs, RunView } from '../../run/index.js';
import { readSettings } from '../../config/index.js';
import { type ActiveStreams, type HttpError, HttpSettings } from '../http/index.js';
import { ResumeCache } from './resume-cache.js';
import type { RunStream } from './run-stream.js';
import { RunStreams } from './run-streams.js';
import { ALL_FRAMES, CountingWire, FakeClient, settled } from './testing/counting-wire.js';
import { MemoryRuns } from './testing/memory-runs.js';
import { DisconnectPolicy, type OnDisconnect } from './disconnect-policy.js';

describe('RunStreams', () => {
  let runs: MemoryRuns;
  let wire: CountingWire;
  let client: FakeClient;
  let streams: RunStreams;
  const active = {
    isShuttingDown: false,
    binary: (chunks: unknown) => chunks,
    track: () => () => undefined,
    waiting: <T>(work: (over: AbortLike) => Promise<T>) => work(new LightAbortSignal()),
  };

  beforeEach(() => {
    runs = new MemoryRuns();
    wire = new CountingWire();
    client = new FakeClient();
    active.isShuttingDown = false;
    const disconnects = new DisconnectPolicy(runs as unknown as Runs, active as unknown as ActiveStreams);
    const encoders = new ResumeCache(readSettings(HttpSettings, {}));
    streams = new RunStreams(
      runs as unknown as Runs,
      active as unknown as ActiveStreams,
      disconnects,
      encoders,
      NO_WATCH,
    );
  });

  const cursorOf = (seen: number) => ({ seen, ahead: (count: number) => new AppError('CURSOR_AHEAD', `of ${count}`) });

  describe('RunStreams.follow', () => {
    it('the run is accepted before it is read, and all frames are yielded', async () => {
      const run = runs.add('r', 2);
      client.read(streams.follow(run, client, { wire }));
      await settled();
      expect([client.accepted, client.frames, client.ended]).toEqual([true, ['first 1', '2'], false]);
      runs.finish('r');
      await settled();
      expect([client.frames, client.ended]).toEqual([ALL_FRAMES, true]);
      expect(wire.encoders[0]).toMatchObject({ encoded: 11, prepared: 4 });
      expect(client.controlFrames.keepAliveFrame).toBe('ping');
    });

    it('reading waits for a client that does not read', async () => {
      client.gate.pause();
      client.read(streams.follow(runs.add('r'), client, { wire }));
      await settled();
      expect(client.frames).toEqual([]);
      client.gate.resume();
      await settled();
      expect(client.ended).toBe(true);
    });

    it.each([
      ['continue', undefined, []],
      ['cancel', undefined, ['r']],
      ['cancel', 'continue' as const, []],
      ['continue', 'cancel' as const, ['r']],
    ])('a wire with the default %s and a request with %s', async (ofWire, ofRequest, canceled) => {
      wire.onDisconnect = ofWire as OnDisconnect;
      const leave = client.read(streams.follow(runs.add('r', 2), client, { wire, onDisconnect: ofRequest }));
      await settled();
      leave();
      runs.finish('r');
      await settled();
      expect([runs.canceled, client.frames]).toEqual([canceled, ['first 1', '2']]);
    });

    it('a run is cancelled if its client disconnected before it was accepted', async () => {
      client.leave();
      client.read(streams.follow(runs.add('r', 2), client, { wire, onDisconnect: 'cancel' }));
      expect(runs.canceled).toEqual(['r']);
    });

    it('nothing is cancelled at a shutdown, on a released stream and after the end', async () => {
      const options = { wire, onDisconnect: 'cancel' as const };
      const released = streams.follow(runs.add('r', 2), client, options);
      const leave = [released, streams.follow(runs.add('s', 2), client, options)].map((one) => client.read(one));
      await settled();
      released.release();
      leave[0]?.();
      active.isShuttingDown = true;
      leave[1]?.();
      active.isShuttingDown = false;
      let left = (): void => undefined;
      const stream = streams.follow(runs.add('t'), client, options);
      stream.events().subscribe((batch) => (batch.includes('11') ? left() : undefined));
      left = () => client.leave();
      await settled();
      expect(runs.canceled).toEqual([]);
    });

    it('a shutdown ends the stream with one shutdown frame', async () => {
      client.read(streams.follow(runs.add('r', 2), client, { wire }));
      await settled();
      runs.stop();
      await settled();
      expect([client.frames, client.ended]).toEqual([['first 1', '2', 'cut after 2'], true]);
      expect(client.controlFrames.shutdownFrame).toBeUndefined();
    });

    it('the shutdown frame is sent once, whoever ends the stream first', async () => {
      client.read(streams.follow(runs.add('r', 2), client, { wire }));
      await settled();
      expect(client.controlFrames.shutdownFrame).toBe('cut after 2');
      runs.stop();
      await settled();
      expect(client.frames).toEqual(['first 1', '2']);
    });

    it('a stream ends without a frame at the end of its lifetime', async () => {
      client.read(streams.follow(runs.add('r', 2), client, { wire, lifetimeMs: 1 }));
      while (!client.ended) await settled();
      expect([client.frames, runs.canceled]).toEqual([['first 1', '2'], []]);
    });

    it('a log that cannot be read ends the stream with the error frames of the wire', async () => {
      client.read(streams.follow(runs.add('r', 2), client, { wire }));
      const error = new AppError('DATABASE_ERROR');
      runs.fail(error);
      await settled();
      expect([client.frames, client.error]).toEqual([['first 1', '2'], error]);
      expect(client.controlFrames.errorFrames?.({ code: 'DATABASE_ERROR' } as HttpError)).toEqual([
        'error DATABASE_ERROR',
      ]);
    });

    it('events that were removed are replaced by other frames', async () => {
      const run = runs.add('r', 0);
      runs.fail(new AppError('EVENTS_EXPIRED'));
      const expired = ({ runId }: RunView): Promise<string[]> => Promise.resolve([`kept of ${runId}`]);
      client.read(streams.follow(run, client, { wire, expired }));
      await settled();
      expect([client.frames, client.ended]).toEqual([['kept of r'], true]);
    });
  });

  describe('RunStreams on other transports', () => {
    it('a message is sent when the previous one was taken', async () => {
      const taken: string[] = [];
      let take = (): void => undefined;
      const sent = streams.follow(runs.add('r'), client, { wire }).sendTo((frame) => {
        taken.push(frame);
        return new Promise((resolve) => (take = resolve));
      });
      for (let count = 1; count <= ALL_FRAMES.length; count += 1) {
        await settled();
        expect(taken).toHaveLength(count);
        take();
      }
      await sent;
      expect(taken).toEqual(ALL_FRAMES);
      // The socket may have many streams before its client leaves.
      expect(getEventListeners(client.gone, 'abort')).toEqual([]);
    });

    it('sending stops and the run is cancelled when the client disconnects', async () => {
      const options = { wire, onDisconnect: 'cancel' as const };
      const sent = streams.follow(runs.add('r', 2), client, options).sendTo(() => Promise.resolve());
      await settled();
      client.leave();
      await sent;
      expect(runs.canceled).toEqual(['r']);
    });

    it('errors of reading are thrown to the sender', async () => {
      const sent = streams.follow(runs.add('r', 2), client, { wire }).sendTo(() => Promise.resolve());
      runs.fail(new AppError('DATABASE_ERROR'));
      await expect(sent).rejects.toMatchObject({ code: 'DATABASE_ERROR' });
    });

    async function bytes(stream: RunStream): Promise<string> {
      const parts: Uint8Array[] = [];
      for await (const part of stream.binary('x/y') as unknown as AsyncIterable<Uint8Array>) parts.push(part);
      return Buffer.concat(parts).toString('latin1');
    }

    it('bytes and the frames of an error or a shutdown are written', async () => {
      const stream = (runId: string): RunStream => streams.follow(runs.add(runId, 2), client, { wire });
      const [whole, broken] = [bytes(stream('r')), bytes(stream('s'))];
      await settled();
      runs.finish('r');
      expect(await whole).toBe(ALL_FRAMES.join(''));
      runs.fail(new AppError('DATABASE_ERROR'));
      expect(await broken).toBe('first 12error DATABASE_ERROR');
      runs.failure = undefined;
      const cut = bytes(stream('t'));
      await settled();
      runs.stop();
      expect(await cut).toBe('first 12cut after 2');
    });
  });

  describe('RunStreams.resume', () => {
    it.each([0, 1, 4, 10])('the frames after the first %d are yielded in one pass', async (seen) => {
      const stream = await streams.resume(runs.add('r'), client, { wire, cursor: cursorOf(seen) });
      expect(stream.isRead).toBe(false);
      client.read(stream);
      await settled();
      expect(client.frames).toEqual([`first ${seen + 1}`, ...ALL_FRAMES.slice(seen + 1)]);
      expect(wire.encoders.map(({ encoded }) => encoded)).toEqual([11]);
    });

    it('a reader that has everything gets the end of the stream', async () => {
      const stream = await streams.resume(runs.add('r'), client, { wire, cursor: cursorOf(11) });
      expect(stream.isRead).toBe(true);
      client.read(stream);
      await settled();
      expect([client.accepted, client.frames]).toEqual([true, ['end']]);
    });

    it.each([
      [11, 12, 'of 11'],
      [2, 3, 'of 2'],
      [0, 1, 'of 0'],
    ])('a cursor ahead of %d committed frames is refused: %d', async (committed, seen, message) => {
      const resumed = streams.resume(runs.add('r', committed), client, { wire, cursor: cursorOf(seen) });
      await expect(resumed).rejects.toMatchObject({ code: 'CURSOR_AHEAD', message });
    });

    it('a cursor at the last committed frame continues live', async () => {
      const stream = await streams.resume(runs.add('r', 2), client, { wire, cursor: cursorOf(2) });
      expect(stream.isRead).toBe(false);
      const leave = client.read(stream);
      await settled();
      expect([client.accepted, client.frames]).toEqual([true, []]);
      runs.finish('r');
      await settled();
      expect(client.frames).toEqual(['first 3', ...ALL_FRAMES.slice(3)]);
      leave();
      expect(runs.canceled).toEqual([]);
    });

    it('an error of reading before the stream begins is thrown', async () => {
      runs.fail(new AppError('EVENTS_EXPIRED'));
      const resumed = streams.resume(runs.add('r', 0), client, { wire, cursor: cursorOf(0) });
      // Nothing is committed: the request is accepted, and the log is read afterwards.
      client.read(await resumed);
      await settled();
      expect(client.error).toMatchObject({ code: 'EVENTS_EXPIRED' });
      const second = streams.resume(runs.add('s', 2), client, { wire, cursor: cursorOf(3) });
      await expect(second).rejects.toMatchObject({ code: 'CURSOR_AHEAD' });
    });
  });

  describe('RunStreams.result', () => {
    it('the summary is returned at the end of the run', async () => {
      const result = streams.result(runs.add('r', 2), client, { wire });
      await settled();
      runs.finish('r');
      expect(await result).toEqual({ runId: 'r', status: 'completed' });
    });

    it('a shutdown is reported', async () => {
      const result = streams.result(runs.add('r', 2), client, { wire });
      runs.stop();
      await expect(result).rejects.toMatchObject({ code: 'SHUTTING_DOWN', retryAfterSeconds: 5 });
    });

    it('the run is cancelled when the client disconnects, if requested', async () => {
      const result = streams.result(runs.add('r', 2), client, { wire, onDisconnect: 'cancel' });
      await settled();
      client.leave();
      expect(await result).toMatchObject({ runId: 'r' });
      expect(runs.canceled).toEqual(['r']);
    });
  });
});
