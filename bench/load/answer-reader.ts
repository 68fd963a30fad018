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
   * Asks for the answer and reads it to its end, or until the connection is destroyed.
   *
   * @param resumable true for an answer whose stream will be cut and resumed
   * @throws Error if the stream is not what the model sent
   */
  async read(connection: HttpConnection, resumable = false): Promise<void> {
    await this.exchange(connection, this.wire.ask(this.answer, resumable));
    if (!resumable) this.assertComplete();
  }

  /**
   * Reads the rest of the answer on another connection, from the frame after the last one.
   *
   * @throws Error if the stream is not what the model sent
   */
  async resume(connection: HttpConnection): Promise<void> {
    const cursor = this.wire.cursor(this.last);
    if (cursor === undefined) throw new Error(`no cursor in ${this.last}`);
    this.rest = '';
    await this.exchange(connection, this.wire.resume(this.first, cursor));
    this.assertComplete();
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
  }

  private whole(text: string): void {
    this.texts += 1;
    if (text !== fullText(this.answer.pieces)) throw new Error(`the whole text has ${text.length} other characters`);
  }

  private assertComplete(): void {
    const { pieces } = this.answer;
    if (this.pieces === pieces && this.ended && this.texts <= 1) return;
    throw new Error(`${this.pieces} of ${pieces} pieces came, ended: ${this.ended}; last frame: ${this.last}`);
  }
}
