import { HttpConnection, type ResponseReader } from './http-connection.js';
import { WIRES, type WireRequest } from './wires.js';

/** Reads a stream of the Runs API and notes when each piece came. A run that was taken over begins its text again. */
export class PieceTimes implements ResponseReader {
  /** When each piece came, as `performance.now()`. */
  readonly times: number[] = [];
  /** The longest time between two pieces, in milliseconds. */
  longestGap = 0;
  /** When the stream ended; undefined while it is open. */
  endedAt: number | undefined;
  private rest = '';
  private firstFrame = '';
  private readonly waiting: { readonly pieces: number; readonly reached: () => void }[] = [];

  constructor(private readonly connection: HttpConnection) {}

  /** Asks, and reads until the stream ends. @throws Error if the answer is not a stream */
  async read({ path, body, headers }: WireRequest): Promise<void> {
    await this.connection.request(path, body, headers, this);
    this.endedAt = performance.now();
  }

  /** Resolves when this many pieces have come. */
  async until(pieces: number): Promise<void> {
    if (this.times.length >= pieces) return;
    await new Promise<void>((reached) => this.waiting.push({ pieces, reached }));
  }

  /** How the client names the run, once its first frame has come. */
  get names(): { readonly threadId: string; readonly runId: string } {
    const { firstFrame } = this;
    return JSON.parse(firstFrame.slice(firstFrame.indexOf('data: ') + 6)) as { threadId: string; runId: string };
  }

  /** Cuts the connection. */
  destroy(): void {
    this.connection.destroy();
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
    this.rest = received.slice(at);
  }

  private frame(frame: string): void {
    if (!frame.includes('data: ')) return;
    if (this.firstFrame === '') this.firstFrame = frame;
    if (WIRES.runs.piece(frame) === undefined) return;
    const now = performance.now();
    this.longestGap = Math.max(this.longestGap, now - (this.times.at(-1) ?? now));
    this.times.push(now);
    const reached = this.waiting.filter(({ pieces }) => pieces <= this.times.length);
    for (const wait of reached) {
      this.waiting.splice(this.waiting.indexOf(wait), 1);
      wait.reached();
    }
  }
}
