import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { WebSocket } from 'ws';
import { clientFrame } from '../../../../test/support/raw-web-socket.js';
import { ByteBudget } from '../../../common/index.js';
import { MessageIntake } from './message-intake.js';

const MAX_BYTES = 200_000;
const ROOM = { key: 'all', limit: 250_000 };

/** What an intake uses of a WebSocket. */
class Connection extends EventEmitter {
  isPaused = false;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}

describe('MessageIntake', () => {
  let raw: PassThrough;
  let connection: Connection;
  let intake: MessageIntake;
  let taken: number[];

  beforeEach(() => {
    [raw, connection, taken] = [new PassThrough(), new Connection(), []];
    const budget = new ByteBudget();
    intake = new MessageIntake(connection as unknown as WebSocket, {
      raw,
      maxBytes: MAX_BYTES,
      receive: (bytes) => {
        taken.push(bytes);
        return budget.take([ROOM], bytes);
      },
      onMessage: () => undefined,
      onLate: () => undefined,
    });
  });
  afterEach(() => intake.stop());

  /** What arrives of a message on the socket, and then the message. */
  function message(bytes: number): void {
    raw.emit('data', Buffer.alloc(bytes));
    connection.emit('message', Buffer.alloc(bytes), false);
  }

  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('takes room for a large message before it is complete, and gives back what it does not need', () => {
    raw.emit('data', Buffer.alloc(70_000));
    expect(taken).toEqual([MAX_BYTES]);
    connection.emit('message', Buffer.alloc(70_000), false);
    message(150_000);
    expect([connection.isPaused, intake.next()?.bytes]).toEqual([true, 70_000]);
  });

  it('reads no further without room, until others have given it back', async () => {
    message(150_000);
    message(50_000);
    message(60_000);
    expect(connection.isPaused).toBe(true);
    intake.next()?.release();
    await settled();
    expect(connection.isPaused).toBe(false);
  });

  it('reads on when what waited for room is given back before it was granted', () => {
    message(60_000);
    message(60_000);
    message(60_000);
    message(60_000);
    message(60_000);
    expect(connection.isPaused).toBe(true);
    const all = [1, 2, 3, 4, 5].map(() => intake.next());
    all.reverse().forEach((one) => one?.release());
    expect(connection.isPaused).toBe(false);
  });

  it('does not take control frames for parts of a message, however many there are', () => {
    for (let count = 0; count < 20_000; count += 1) {
      raw.emit('data', clientFrame('', 9));
      connection.emit('ping', Buffer.alloc(0));
      raw.emit('data', clientFrame('beat', 10));
      connection.emit('pong', Buffer.from('beat'));
    }
    expect(taken).toEqual([]);
  });

  it('reads on, and keeps nothing, once it is stopped', () => {
    message(MAX_BYTES);
    message(60_000);
    expect(connection.isPaused).toBe(true);
    intake.stop();
    message(10);
    expect([connection.isPaused, intake.next(), intake.takeRefused()]).toEqual([false, undefined, false]);
  });
});
