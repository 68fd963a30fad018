import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { ByteHold } from '../../../common/index.js';
import { ReceivedBytes } from '../../http/index.js';

/** Messages that may wait behind the response that is being generated. */
const MAX_WAITING = 16;
/** Messages that are refused before the server reads no further until it has said so. */
const MAX_REFUSED = 16;
/** Milliseconds within which a message must arrive that is larger than `ReceivedBytes.SMALL`. */
const ARRIVAL_MS = 60_000;

/** Bytes of a control frame of a client besides its payload. */
const CONTROL_HEAD_BYTES = 6;

/** A message whose turn has come. */
export interface WaitingMessage {
  /** Its bytes; undefined for a binary one. */
  readonly data: Buffer | undefined;
  readonly bytes: number;
  /** Gives its part of the memory for received messages back: to be called once it is taken on or answered. */
  readonly release: () => void;
}

/** What an intake needs of its connection. */
export interface IntakeOptions {
  /** The socket below the WebSocket. */
  readonly raw: Duplex;
  /** The bytes that a message may have, and that may wait on the connection before it is paused. */
  readonly maxBytes: number;
  /** Takes room for a message. */
  readonly receive: (bytes: number) => ByteHold;
  /** Called after each message. */
  readonly onMessage: () => void;
  /** Called when a message does not arrive in time. */
  readonly onLate: () => void;
}

/**
 * The messages of one connection, in the order in which they are answered. It reads no further while they are too many
 * bytes, or while there is no room for another one: the client has to wait, whatever it sends.
 */
export class MessageIntake {
  private readonly waiting: WaitingMessage[] = [];
  private waitingBytes = 0;
  /** How many messages came while too many were waiting. */
  private refused = 0;
  /** Bytes that came after the last message. */
  private arrived = 0;
  /** The room for the message that is arriving, once it is not small. */
  private arriving: ByteHold | undefined;
  private arrivalTimer: NodeJS.Timeout | undefined;
  /** The rooms that are not granted yet. */
  private readonly pending = new Set<ByteHold>();
  private isStopped = false;

  constructor(
    private readonly socket: WebSocket,
    private readonly options: IntakeOptions,
  ) {
    // Before the WebSocket reads them: it knows whole messages only.
    options.raw.prependListener('data', (data: Buffer) => this.count(data.length));
    for (const control of ['ping', 'pong']) socket.on(control, (data: Buffer) => this.uncount(data.length));
    socket.on('message', (data: Buffer, isBinary: boolean) => this.add(data, isBinary));
  }

  /** The next message; undefined if none waits. */
  next(): WaitingMessage | undefined {
    const message = this.waiting.shift();
    this.waitingBytes -= message?.bytes ?? 0;
    this.readOrPause();
    return message;
  }

  /** The first waiting message that the test finds; undefined if it finds none. Binary messages are not tested. */
  take(test: (data: Buffer) => boolean): WaitingMessage | undefined {
    const at = this.waiting.findIndex(({ data }) => data !== undefined && test(data));
    const [message] = at < 0 ? [] : this.waiting.splice(at, 1);
    this.waitingBytes -= message?.bytes ?? 0;
    this.readOrPause();
    return message;
  }

  /** Whether a message is to be refused because too many were waiting when it came. Each is reported once. */
  takeRefused(): boolean {
    if (this.refused === 0) return false;
    this.refused -= 1;
    this.readOrPause();
    return true;
  }

  /** Forgets what waits, and what still comes. The connection is read again, so that it can close. */
  stop(): void {
    this.isStopped = true;
    for (const { release } of this.waiting) release();
    this.waiting.length = 0;
    this.refused = 0;
    if (this.arriving) this.release(this.arriving);
    clearTimeout(this.arrivalTimer);
    this.readOrPause();
  }

  private count(bytes: number): void {
    this.arrived += bytes;
    if (this.isStopped || this.arriving || this.arrived <= ReceivedBytes.SMALL) return;
    this.arriving = this.room(this.options.maxBytes);
    this.arrivalTimer = setTimeout(this.options.onLate, ARRIVAL_MS).unref();
  }

  /** A control frame is no part of a message. */
  private uncount(payload: number): void {
    this.arrived = Math.max(0, this.arrived - CONTROL_HEAD_BYTES - payload);
  }

  private add(data: Buffer, isBinary: boolean): void {
    if (this.isStopped) return;
    const { arriving } = this;
    this.arriving = undefined;
    this.arrived = 0;
    clearTimeout(this.arrivalTimer);
    if (this.waiting.length < MAX_WAITING) this.keep(isBinary ? undefined : data, arriving);
    else {
      this.refused += 1;
      if (arriving) this.release(arriving);
    }
    this.readOrPause();
    this.options.onMessage();
  }

  /** @param arriving room that was taken before the length of the message was known */
  private keep(data: Buffer | undefined, arriving: ByteHold | undefined): void {
    const bytes = data?.length ?? 0;
    const room = arriving ?? this.room(bytes);
    room.shrink(bytes);
    this.waiting.push({ data, bytes, release: () => this.release(room) });
    this.waitingBytes += bytes;
  }

  /** Takes room, and reads nothing until it is granted. */
  private room(bytes: number): ByteHold {
    const hold = this.options.receive(bytes);
    if (!hold.granted) return hold;
    this.pending.add(hold);
    this.readOrPause();
    void hold.granted.then(() => {
      this.arrivalTimer?.refresh();
      this.settled(hold);
    });
    return hold;
  }

  private release(hold: ByteHold): void {
    hold.release();
    this.settled(hold);
  }

  private settled(hold: ByteHold): void {
    if (this.pending.delete(hold)) this.readOrPause();
  }

  private readOrPause(): void {
    const { socket, options, waitingBytes, refused, pending } = this;
    const isFull = waitingBytes > options.maxBytes || refused > MAX_REFUSED || pending.size > 0;
    if (isFull && !this.isStopped) socket.pause();
    else if (socket.isPaused) socket.resume();
  }
}
