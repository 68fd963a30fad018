import { getEventListeners } from 'node:events';
import { AppError } from '../../common/index.js';
import type { Runs, RunView } from '../../run/index.js';
import type { ActiveStreams, HttpError } from '../http/index.js';
import type { RunStream } from './run-stream.js';
import { RunStreams } from './run-streams.js';
import { ALL_FRAMES, CountingWire, FakeClient, settled } from './testing/counting-wire.js';
import { MemoryRuns } from './testing/memory-runs.js';
import type { OnDisconnect } from './wire.js';

const principal = { tenantId: 'default', userId: 'alice' };

describe('RunStreams', () => {
  let runs: MemoryRuns;
  let wire: CountingWire;
  let client: FakeClient;
  let streams: RunStreams;
  const active = { isShuttingDown: false, binary: (chunks: unknown) => chunks };

  beforeEach(() => {
    runs = new MemoryRuns();
    wire = new CountingWire();
    client = new FakeClient();
    active.isShuttingDown = false;
    streams = new RunStreams(runs as unknown as Runs, active as unknown as ActiveStreams);
  });

  const cursorOf = (seen: number) => ({ seen, ahead: (count: number) => new AppError('CURSOR_AHEAD', `of ${count}`) });

  describe('follow', () => {
    it('accepts before it reads, then yields all frames as they come', async () => {
      const run = runs.add('r', 2);
      client.read(streams.follow(run, client, { principal, wire }));
      await settled();
      expect([client.accepted, client.frames, client.ended]).toEqual([true, ['first 1', '2'], false]);
      runs.finish('r');
      await settled();
      expect([client.frames, client.ended]).toEqual([ALL_FRAMES, true]);
      expect(wire.encoders[0]).toMatchObject({ encoded: 11, prepared: 4 });
      expect(client.controlFrames.keepAliveFrame).toBe('ping');
    });

    it('waits for a client that reads nothing', async () => {
      client.gate.pause();
      client.read(streams.follow(runs.add('r'), client, { principal, wire }));
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
    ])('a wire that says %s and a request that says %s', async (ofWire, ofRequest, canceled) => {
      wire.onDisconnect = ofWire as OnDisconnect;
      const leave = client.read(streams.follow(runs.add('r', 2), client, { principal, wire, onDisconnect: ofRequest }));
      await settled();
      leave();
      runs.finish('r');
      await settled();
      expect([runs.canceled, client.frames]).toEqual([canceled, ['first 1', '2']]);
    });

    it('cancels for a client that had left before its run was accepted', async () => {
      client.leave();
      client.read(streams.follow(runs.add('r', 2), client, { principal, wire, onDisconnect: 'cancel' }));
      expect(runs.canceled).toEqual(['r']);
    });

    it('cancels nothing at a shutdown, of a released stream, and after the end', async () => {
      const options = { principal, wire, onDisconnect: 'cancel' as const };
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

    it('ends with its shutdown frame, once, when the server stops', async () => {
      client.read(streams.follow(runs.add('r', 2), client, { principal, wire }));
      await settled();
      runs.stop();
      await settled();
      expect([client.frames, client.ended]).toEqual([['first 1', '2', 'cut after 2'], true]);
      expect(client.controlFrames.shutdownFrame).toBeUndefined();
    });

    it('gives the shutdown frame to whoever ends the stream first', async () => {
      client.read(streams.follow(runs.add('r', 2), client, { principal, wire }));
      await settled();
      expect(client.controlFrames.shutdownFrame).toBe('cut after 2');
      runs.stop();
      await settled();
      expect(client.frames).toEqual(['first 1', '2']);
    });

    it('ends without a word when its lifetime is over', async () => {
      client.read(streams.follow(runs.add('r', 2), client, { principal, wire, lifetimeMs: 1 }));
      while (!client.ended) await settled();
      expect([client.frames, runs.canceled]).toEqual([['first 1', '2'], []]);
    });

    it('tells the transport of a log that cannot be read, and how its wire ends then', async () => {
      client.read(streams.follow(runs.add('r', 2), client, { principal, wire }));
      const error = new AppError('DATABASE_ERROR');
      runs.fail(error);
      await settled();
      expect([client.frames, client.error]).toEqual([['first 1', '2'], error]);
      expect(client.controlFrames.errorFrames?.({ code: 'DATABASE_ERROR' } as HttpError)).toEqual([
        'error DATABASE_ERROR',
      ]);
    });

    it('shows other frames for events that were removed', async () => {
      const run = runs.add('r', 0);
      runs.fail(new AppError('EVENTS_EXPIRED'));
      const expired = ({ runId }: RunView): Promise<string[]> => Promise.resolve([`kept of ${runId}`]);
      client.read(streams.follow(run, client, { principal, wire, expired }));
      await settled();
      expect([client.frames, client.ended]).toEqual([['kept of r'], true]);
    });
  });

  describe('other transports', () => {
    it('sends message after message, each when the one before was taken', async () => {
      const taken: string[] = [];
      let take = (): void => undefined;
      const sent = streams.follow(runs.add('r'), client, { principal, wire }).sendTo((frame) => {
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

    it('stops sending, and cancels, when the client leaves', async () => {
      const options = { principal, wire, onDisconnect: 'cancel' as const };
      const sent = streams.follow(runs.add('r', 2), client, options).sendTo(() => Promise.resolve());
      await settled();
      client.leave();
      await sent;
      expect(runs.canceled).toEqual(['r']);
    });

    it('throws to the sender what reading throws', async () => {
      const sent = streams.follow(runs.add('r', 2), client, { principal, wire }).sendTo(() => Promise.resolve());
      runs.fail(new AppError('DATABASE_ERROR'));
      await expect(sent).rejects.toMatchObject({ code: 'DATABASE_ERROR' });
    });

    async function bytes(stream: RunStream): Promise<string> {
      const parts: Uint8Array[] = [];
      for await (const part of stream.binary('x/y') as unknown as AsyncIterable<Uint8Array>) parts.push(part);
      return Buffer.concat(parts).toString('latin1');
    }

    it('writes bytes, and the frames of an error or a shutdown', async () => {
      const stream = (runId: string): RunStream => streams.follow(runs.add(runId, 2), client, { principal, wire });
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

  describe('resume', () => {
    it.each([0, 1, 4, 10])('yields the frames after the first %d, in one pass', async (seen) => {
      const stream = await streams.resume(runs.add('r'), client, { principal, wire, cursor: cursorOf(seen) });
      expect(stream.isRead).toBe(false);
      client.read(stream);
      await settled();
      expect(client.frames).toEqual([`first ${seen + 1}`, ...ALL_FRAMES.slice(seen + 1)]);
      expect(wire.encoders.map(({ encoded }) => encoded)).toEqual([11]);
    });

    it('knows that a reader has everything, and still ends the stream', async () => {
      const stream = await streams.resume(runs.add('r'), client, { principal, wire, cursor: cursorOf(11) });
      expect(stream.isRead).toBe(true);
      client.read(stream);
      await settled();
      expect([client.accepted, client.frames]).toEqual([true, ['end']]);
    });

    it.each([
      [11, 12, 'of 11'],
      [2, 3, 'of 2'],
      [0, 1, 'of 0'],
    ])('refuses a cursor ahead of %d committed frames: %d', async (committed, seen, message) => {
      const resumed = streams.resume(runs.add('r', committed), client, { principal, wire, cursor: cursorOf(seen) });
      await expect(resumed).rejects.toMatchObject({ code: 'CURSOR_AHEAD', message });
    });

    it('accepts at the end of what is committed, then goes on live', async () => {
      const stream = await streams.resume(runs.add('r', 2), client, { principal, wire, cursor: cursorOf(2) });
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

    it('throws what reading throws before there is a stream', async () => {
      runs.fail(new AppError('EVENTS_EXPIRED'));
      const resumed = streams.resume(runs.add('r', 0), client, { principal, wire, cursor: cursorOf(0) });
      // Nothing is committed: the request is accepted, and the log is read afterwards.
      client.read(await resumed);
      await settled();
      expect(client.error).toMatchObject({ code: 'EVENTS_EXPIRED' });
      const second = streams.resume(runs.add('s', 2), client, { principal, wire, cursor: cursorOf(3) });
      await expect(second).rejects.toMatchObject({ code: 'CURSOR_AHEAD' });
    });
  });

  describe('result', () => {
    it('waits for the end and returns its summary', async () => {
      const result = streams.result(runs.add('r', 2), client, { principal, wire });
      await settled();
      runs.finish('r');
      expect(await result).toEqual({ runId: 'r', status: 'completed' });
    });

    it('says that the server stops', async () => {
      const result = streams.result(runs.add('r', 2), client, { principal, wire });
      runs.stop();
      await expect(result).rejects.toMatchObject({ code: 'SHUTTING_DOWN', retryAfterSeconds: 5 });
    });

    it('cancels when the client leaves, if it is told to', async () => {
      const result = streams.result(runs.add('r', 2), client, { principal, wire, onDisconnect: 'cancel' });
      await settled();
      client.leave();
      expect(await result).toMatchObject({ runId: 'r' });
      expect(runs.canceled).toEqual(['r']);
    });
  });
});
