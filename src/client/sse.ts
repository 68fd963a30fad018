/** One block of an event stream. Comments do not count. */
export interface SseBlock {
  /** The `data:` lines, joined; empty for a block that only sets `retry`. */
  readonly data: string;
  readonly event: string | undefined;
  readonly id: string | undefined;
  /** How long to wait before the stream is opened again, in milliseconds. */
  readonly retry: number | undefined;
}

/** Three keep-alives of the server. */
const SILENCE_MS = 45_000;

/**
 * Reads an event stream to its end.
 *
 * @param silenceMs a stream that brings nothing for so long, not even a comment, is cut. Default 45,000
 * @throws what reading the body throws; Error for a silence
 */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  silenceMs = SILENCE_MS,
): AsyncGenerator<SseBlock, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read());
      if (done) return;
      const text = rest + decoder.decode(value, { stream: true });
      // A carriage return at the end may be the first half of a line end.
      const end = text.endsWith('\r') ? text.length - 1 : text.length;
      const blocks = text.slice(0, end).replace(/\r\n?/g, '\n').split('\n\n');
      rest = (blocks.pop() ?? '') + text.slice(end);
      for (const block of blocks.map(blockOf)) if (block) yield block;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

function blockOf(raw: string): SseBlock | undefined {
  const fields = raw.split('\n').map((line) => /^(\w+):? ?(.*)$/.exec(line)?.slice(1) ?? []);
  const all = (wanted: string): string[] => fields.filter(([name]) => name === wanted).map(([, value = '']) => value);
  const [data, retry] = [all('data'), all('retry').at(-1)];
  if (data.length === 0 && retry === undefined) return undefined;
  return {
    data: data.join('\n'),
    event: all('event').at(-1),
    id: all('id').at(-1),
    retry: retry ? Number(retry) : undefined,
  };
}

async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`The stream was silent for ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, silence]).finally(() => clearTimeout(timer));
}
