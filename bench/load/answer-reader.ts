import { type Answer, fullText, pieceText } from '../answer.js';
import { HttpConnection, type ResponseReader } from './http-connection.js';
import type { Wire, WireRequest } from './wires.js';

/**
 * Reads the stream of one answer, over one connection or several, and checks it: the pieces come once and in
 * order, each with its text, and the frame that repeats the whole text is equal to them.
 */
export class AnswerReader implements ResponseReader {
  /** Pieces so far. */
  pieces = 0;
  /** When the first piece came, as `performance.now()`. */
  firstAt: number | undefined;
  /** Called for each piece. */
  onPiece: (() => void) | undefined;
  /** When the last piece came. */
  lastAt = 0;
  private goal: { readonly pieces: number; readonly reached: () => void } | undefined;
  private first = '';
  private last = '';
  private rest = '';
  private ended = false;
  private texts = 0;

  constructor(
    private readonly wire: Wire,
    private readonly answer: Answer,
  ) {}

  /**
   * Asks for the answer and reads it to its end.
   *
   * @throws Error if the stream is not what the model sent
   */
  async read(connection: HttpConnection): Promise<void> {
    await this.exchange(connection, this.wire.ask(this.answer, false));
    const { pieces } = this.answer;
    if (this.pieces === pieces && this.ended && this.texts <= 1) return;
    throw new Error(`${this.pieces} of ${pieces} pieces came, ended: ${this.ended}; last frame: ${this.last}`);
  }

  /**
   * Asks for the answer and reads it until this many pieces have come; the stream stays open and can be resumed.
   *
   * @throws Error if the stream is not what the model sent, or ends before
   */
  readUntil(pieces: number, connection: HttpConnection): Promise<void> {
    return this.until(pieces, this.exchange(connection, this.wire.ask(this.answer, true)));
  }

  /**
   * Reads on over another connection, from the frame after the last one, until this many pieces have come in all.
   *
   * @throws Error if the stream does not continue where it was cut, or ends before
   */
  resumeUntil(pieces: number, connection: HttpConnection): Promise<void> {
    const cursor = this.wire.cursor(this.last);
    if (cursor === undefined) throw new Error(`no cursor in ${this.last}`);
    this.rest = '';
    return this.until(pieces, this.exchange(connection, this.wire.resume(this.first, cursor)));
  }

  head(status: number, headers: string): void {
    if (status !== 200) throw new Error(`status ${status}: ${headers}`);
  }

  body(text: string): void {
    const received = this.rest === '' ? text : this.rest + text;
    let at = 0;
    for (let end = received.indexOf('\n\n'); end >= 0; end = received.indexOf('\n\n', at)) {
      this.frame(received.slice(at, end));
      at = end + 2;
    }
    this.rest = at === received.length ? '' : received.slice(at);
  }

  private until(pieces: number, exchange: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.goal = { pieces, reached: resolve };
      exchange.then(() => reject(new Error(`the stream ended after ${this.pieces} pieces: ${this.last}`)), reject);
    });
  }

  private exchange(connection: HttpConnection, { path, body, headers }: WireRequest): Promise<void> {
    return connection.request(path, body, headers, this);
  }

  private frame(frame: string): void {
    if (frame.startsWith(':')) return;
    if (this.first === '') this.first = frame;
    this.last = frame;
    const piece = this.wire.piece(frame);
    if (piece !== undefined) return this.piece(piece, frame);
    const whole = this.wire.fullText(frame);
    if (whole !== undefined) this.whole(whole);
    this.ended ||= this.wire.isEnd(frame);
  }

  private piece(text: string, frame: string): void {
    if (text !== pieceText(this.pieces)) throw new Error(`instead of piece ${this.pieces} came ${frame}`);
    this.pieces += 1;
    this.lastAt = performance.now();
    this.firstAt ??= this.lastAt;
    this.onPiece?.();
    if (this.pieces === this.goal?.pieces) this.goal.reached();
  }

  private whole(text: string): void {
    this.texts += 1;
    if (text !== fullText(this.answer.pieces)) throw new Error(`the whole text has ${text.length} other characters`);
  }
}
