/** One server-sent event. */
export interface SseFrame {
  /** The frame as it came, without the empty line. */
  readonly raw: string;
  /** The `data:` lines, joined. */
  readonly data: string;
  readonly event: string | undefined;
  readonly id: string | undefined;
}

/** Reads the frames of an event stream until it ends. Comments are skipped. @throws what reading the body throws */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseFrame, void, void> {
  const reader = body.getReader();
  const splitter = new SseSplitter();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield* splitter.push(decoder.decode(value, { stream: !done }));
      if (done) return;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Cuts the text of an event stream into frames. Text is given in pieces of any size. */
export class SseSplitter {
  private rest = '';

  /** The frames that a piece completes. */
  push(piece: string): SseFrame[] {
    const text = this.rest + piece;
    // A carriage return at the end may be the first half of a line end.
    const held = text.endsWith('\r') ? '\r' : '';
    const blocks = text
      .slice(0, text.length - held.length)
      .replace(/\r\n?/g, '\n')
      .split('\n\n');
    this.rest = (blocks.pop() ?? '') + held;
    return blocks.map(frameOf).filter((frame) => frame !== undefined);
  }
}

function frameOf(raw: string): SseFrame | undefined {
  const data: string[] = [];
  let event: string | undefined;
  let id: string | undefined;
  for (const line of raw.split('\n')) {
    const [, name, value = ''] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id') id = value;
  }
  return data.length === 0 ? undefined : { raw, data: data.join('\n'), event, id };
}
