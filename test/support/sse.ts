/** One event of a stream, as it was framed. */
export interface SseFrame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  /** The lines of data, joined by line feeds. */
  readonly data: string;
  /** Its text, byte for byte, without the blank line at its end. */
  readonly raw: string;
}

const FIELD = /^(id|event|data|retry): ?(.*)$/;

/**
 * Parses an event stream as strictly as the tests need: a line that is neither a field nor a comment throws,
 * so does a block that mixes comments with fields. Takes the text in pieces of any size.
 */
export class SseParser {
  readonly frames: SseFrame[] = [];
  /** The comments, each with its colon. */
  readonly comments: string[] = [];
  /** The blocks that hold nothing but a reconnection time. */
  readonly retries: string[] = [];
  private rest = '';

  /** Takes a piece of the stream. Returns the events that it completes. */
  push(text: string): readonly SseFrame[] {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop() ?? '';
    const before = this.frames.length;
    for (const raw of blocks) this.take(raw);
    return this.frames.slice(before);
  }

  private take(raw: string): void {
    if (raw.startsWith(':')) this.comments.push(raw);
    else if (/^retry: \d+$/.test(raw)) this.retries.push(raw);
    else this.frames.push(frameOf(raw));
  }
}

/** The events of a whole stream. */
export function sseFrames(stream: string): readonly SseFrame[] {
  return new SseParser().push(stream);
}

/** The JSON of every event but `[DONE]`. */
export function jsonFrames(stream: string): Record<string, unknown>[] {
  return sseFrames(stream).flatMap(({ data }) =>
    data === '[DONE]' ? [] : [JSON.parse(data) as Record<string, unknown>],
  );
}

/** An event stream over HTTP that is read as far, and as often, as the test wants. */
export abstract class SseStream<Frame> {
  readonly frames: Frame[] = [];
  /** The stream has ended, not broken. */
  ended = false;
  private readonly parser = new SseParser();
  private readonly decoder = new TextDecoder();
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  /** @param controller ends the request */
  constructor(
    readonly response: Response,
    private readonly controller: AbortController,
  ) {
    this.reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  }

  get status(): number {
    return this.response.status;
  }

  get comments(): readonly string[] {
    return this.parser.comments;
  }

  get retries(): readonly string[] {
    return this.parser.retries;
  }

  /** @throws if no frame has arrived */
  get last(): Frame {
    const frame = this.frames.at(-1);
    if (frame === undefined) throw new Error('The stream has no frame yet');
    return frame;
  }

  /** Reads until a condition holds, or the stream ends or breaks. Returns whether it holds. */
  async until(holds: (stream: this) => boolean): Promise<boolean> {
    while (!holds(this)) {
      const chunk = await this.reader?.read().catch(() => undefined);
      this.ended ||= chunk?.done === true;
      if (!chunk || chunk.done) return holds(this);
      for (const frame of this.parser.push(this.decoder.decode(chunk.value, { stream: true }))) {
        const decoded = this.decode(frame);
        if (decoded !== undefined) this.frames.push(decoded);
      }
    }
    return true;
  }

  /** Reads to the end, whether the stream ends or breaks. */
  async all(): Promise<this> {
    await this.until(() => false);
    return this;
  }

  /** Disconnects. */
  leave(): void {
    this.controller.abort();
  }

  /** What is kept of an event; undefined: nothing. */
  protected abstract decode(frame: SseFrame): Frame | undefined;
}

function frameOf(raw: string): SseFrame {
  const fields = { id: undefined as string | undefined, event: undefined as string | undefined };
  const data: string[] = [];
  for (const line of raw.split('\n')) {
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'id' || name === 'event') fields[name] = value;
    else if (name !== 'retry') throw new Error(`Invalid line of an event stream: ${raw.slice(0, 200)}`);
  }
  if (data.length === 0) throw new Error(`An event without data: ${raw.slice(0, 200)}`);
  return { ...fields, data: data.join('\n'), raw };
}
