import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Counter } from '../../../common/index.js';

const CRLF = '\r\n';
/** What stands before chunks of most lengths: the end of the chunk before, and their own length. */
const HEADS = Array.from({ length: 4096 }, (_, length) => headOf(length));

/** Where the frames of one answer go: each frame is one chunk of the HTTP answer. */
export interface FrameOutput {
  /** Writes frames, in one system call when possible. False: the buffer is full; `onDrain` is called when it has drained. */
  write(frames: readonly string[]): boolean;
  /** Bytes that wait for the reader in this process. */
  readonly backlog: number;
  /** Writes the last frames and ends the answer, together when possible. */
  end(frames: readonly string[]): void;
  /** Lets go of the connection, which may serve another request. */
  detach(): void;
}

/**
 * Sends the headers and opens the body. On a connection of its own the chunks are put together here
 * and written as one text, which costs a fraction of `ServerResponse.write` for each; an answer that
 * has to wait for its turn on a pipelined connection, and one without a socket, go the usual way.
 */
export function openFrameOutput(response: ServerResponse, sent: Counter, onDrain: () => void): FrameOutput {
  const { socket } = response;
  if (!(socket instanceof Socket)) return new ResponseOutput(response, sent, onDrain);
  // The headers leave together with what is written in this turn.
  socket.cork();
  response.flushHeaders();
  process.nextTick(() => socket.uncork());
  return new SocketOutput(response, socket, sent, onDrain);
}

/** Frames as the chunks of a chunked HTTP/1.1 body. */
interface Chunks {
  readonly text: string;
  /** The bytes of the frames alone. */
  readonly bytes: number;
  /** Whether all of the text is ASCII. */
  readonly isAscii: boolean;
}

/** @param expectsAscii frames of ASCII are measured together: a look at each costs as much as the rest */
function chunked(frames: readonly string[], expectsAscii: boolean): Chunks {
  let text = '';
  let bytes = 0;
  let characters = 0;
  for (const frame of frames) {
    const length = expectsAscii ? frame.length : Buffer.byteLength(frame);
    const head = HEADS[length] ?? headOf(length);
    text += text === '' ? head.slice(CRLF.length) : head;
    text += frame;
    bytes += length;
    characters += frame.length;
  }
  text += CRLF;
  if (expectsAscii && Buffer.byteLength(text) !== text.length) return chunked(frames, false);
  return { text, bytes, isAscii: bytes === characters };
}

function headOf(length: number): string {
  return `${CRLF}${length.toString(16)}${CRLF}`;
}

/** Writes to the socket directly. Nothing else writes to it until the answer ends. */
class SocketOutput implements FrameOutput {
  /** Whether the body is in chunks: false for HTTP/1.0. */
  private readonly isChunked: boolean;
  /** Whether the frames that were written last are ASCII: the next ones mostly are, too. */
  private isAscii = true;

  constructor(
    private readonly response: ServerResponse,
    private readonly socket: Socket,
    /** Counts the bytes of the frames. */
    private readonly sent: Counter,
    private readonly onDrain: () => void,
  ) {
    // Known once the headers are made: an HTTP/1.0 client gets the bare body.
    this.isChunked = response.chunkedEncoding;
    socket.on('drain', onDrain);
  }

  /** Bytes that the socket has not handed to the system. */
  get backlog(): number {
    return this.socket.writableLength;
  }

  /** One system call for all frames. */
  write(frames: readonly string[]): boolean {
    const { text, bytes, isAscii } = chunked(frames, this.isAscii);
    this.isAscii = isAscii;
    this.sent.add(bytes);
    if (!this.isChunked) return this.socket.write(frames.join(''));
    // The same bytes, without a look at every character.
    return this.socket.write(text, isAscii ? 'latin1' : 'utf8');
  }

  /** The frames and the end of the body leave together. */
  end(frames: readonly string[]): void {
    this.socket.cork();
    if (frames.length > 0) this.write(frames);
    this.response.end();
    this.socket.uncork();
  }

  /** The socket serves other requests later: its listener must go. */
  detach(): void {
    this.socket.off('drain', this.onDrain);
  }
}

/** Writes through Node's response, for an answer that waits on a pipelined connection or has no socket. */
class ResponseOutput implements FrameOutput {
  constructor(
    private readonly response: ServerResponse,
    private readonly sent: Counter,
    private readonly onDrain: () => void,
  ) {
    response.on('drain', onDrain);
  }

  /** Bytes that wait in the response, before and in the socket. */
  get backlog(): number {
    return this.response.writableLength;
  }

  /** False when the buffer was full after the last frame. */
  write(frames: readonly string[]): boolean {
    let free = true;
    for (const frame of frames) {
      this.sent.add(Buffer.byteLength(frame));
      free = this.response.write(frame);
    }
    return free;
  }

  /** Ends the answer after the frames. */
  end(frames: readonly string[]): void {
    this.write(frames);
    this.response.end();
  }

  /** Stops listening for `drain`. */
  detach(): void {
    this.response.off('drain', this.onDrain);
  }
}
