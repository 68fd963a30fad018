/** The longest line that is kept, in characters. */
const LINE_LIMIT = 1000;

/** Lines in one window of time, at most. */
const LINES = 100;
const WINDOW_MS = 10_000;

/**
 * Cuts what a process writes into lines, for the log. A flood is left out and counted: no more than
 * 100 lines in 10 s, and no line of more than 1000 characters.
 */
export class LineLog {
  private rest = '';
  private windowEnds = 0;
  private lines = 0;
  private readonly decoder = new TextDecoder();

  /** @param now milliseconds of any monotonic clock */
  constructor(
    private readonly write: (line: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  append(chunk: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    this.rest = (lines.pop() ?? '').slice(0, LINE_LIMIT);
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line.trim() === '') return;
    const now = this.now();
    if (now >= this.windowEnds) {
      if (this.lines > LINES) this.write(`(${this.lines - LINES} more lines)`);
      this.windowEnds = now + WINDOW_MS;
      this.lines = 0;
    }
    this.lines += 1;
    if (this.lines <= LINES) this.write(line.slice(0, LINE_LIMIT));
  }
}
