/** A message inside an Agent API event. */
export interface FrameMessage {
  readonly id: string;
  readonly type: string;
  readonly role: string;
  readonly status: string;
  readonly content: readonly FrameContent[] | null;
}

/** A content inside an Agent API event. */
export interface FrameContent {
  readonly type: string;
  readonly status: string;
  readonly text?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** One event as it came over the wire. */
export interface Frame {
  readonly object: string;
  readonly status: string;
  readonly sequence_number: number;
  readonly id?: string;
  readonly type?: string;
  readonly msg_id?: string;
  readonly text?: string;
  readonly delta?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  readonly session_id?: string;
  readonly output?: readonly FrameMessage[] | null;
  readonly error?: { readonly code: string; readonly message: string } | null;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null;
}

/** The JSON of an answer that is no stream. */
export interface Answer<T = Frame> {
  readonly status: number;
  readonly body: T;
}

const TERMINAL = new Set(['completed', 'failed', 'canceled', 'rejected', 'incomplete']);

/** True for the one event that ends a stream. */
export function isTerminal(frame: Frame): boolean {
  return frame.object === 'response' && TERMINAL.has(frame.status);
}

/** An event stream that is being read: as far, and as often, as the test wants. */
export class FrameStream {
  readonly frames: Frame[] = [];
  readonly comments: string[] = [];
  /** `[DONE]` was seen. */
  done = false;
  private rest = '';
  private readonly decoder = new TextDecoder();
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(
    readonly response: Response,
    private readonly controller: AbortController,
  ) {
    this.reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  }

  get status(): number {
    return this.response.status;
  }

  get last(): Frame {
    const frame = this.frames.at(-1);
    if (!frame) throw new Error('The stream has no frame yet');
    return frame;
  }

  /** Reads until something holds, or the stream ends or breaks. Returns whether it holds. */
  async until(holds: (stream: FrameStream) => boolean): Promise<boolean> {
    while (!holds(this)) {
      const chunk = await this.reader?.read().catch(() => undefined);
      if (!chunk || chunk.done) return holds(this);
      this.take(this.decoder.decode(chunk.value, { stream: true }));
    }
    return true;
  }

  /** Reads to the end, however it comes. */
  async all(): Promise<readonly Frame[]> {
    await this.until(() => false);
    return this.frames;
  }

  /** Hangs up. */
  leave(): void {
    this.controller.abort();
  }

  private take(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments.push(block);
      else if (block === 'data: [DONE]') this.done = true;
      else if (block.startsWith('data: ')) this.frames.push(JSON.parse(block.slice('data: '.length)) as Frame);
      else throw new Error(`A frame that is none: ${block.slice(0, 100)}`);
    }
  }
}

/** A client of the Agent API that knows nothing of the server but its address. */
export class ProcessClient {
  constructor(private readonly url: string) {}

  /** `POST /process` with any body. */
  async open(body: unknown, query = ''): Promise<FrameStream> {
    return this.stream(`/process${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** `POST /process` with one user text. */
  async say(text: string, more: Readonly<Record<string, unknown>> = {}, query = ''): Promise<FrameStream> {
    return this.open({ ...userText(text), ...more }, query);
  }

  /** `say`, read to the end. */
  async ask(text: string, more: Readonly<Record<string, unknown>> = {}, query = ''): Promise<FrameStream> {
    const stream = await this.say(text, more, query);
    await stream.all();
    return stream;
  }

  /** The rest of a run after a sequence number. */
  async resume(runId: string, startingAfter: number): Promise<FrameStream> {
    return this.stream(`/process/${runId}?stream=true&starting_after=${startingAfter}`);
  }

  /** The response as it stands. */
  async read(runId: string): Promise<Answer> {
    return this.json('GET', `/process/${runId}`);
  }

  /** Any request whose answer is JSON. */
  async json<T = Frame>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const init =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(this.url + path, { method, ...init });
    return { status: answer.status, body: (await answer.json()) as T };
  }

  private async stream(path: string, init: RequestInit = {}): Promise<FrameStream> {
    const controller = new AbortController();
    return new FrameStream(await fetch(this.url + path, { ...init, signal: controller.signal }), controller);
  }
}

/** A request body with one user text. */
export function userText(text: string): { input: unknown[] } {
  return { input: [{ role: 'user', content: [{ type: 'text', text }] }] };
}

/** The text of a response's answers. */
export function answerText(response: Frame): string {
  const messages = (response.output ?? []).filter(({ type }) => type === 'message');
  return messages
    .flatMap(({ content }) => content ?? [])
    .map(({ text }) => text ?? '')
    .join('');
}

/** The numbers from 1 to `to` as the offline model counts them. */
export function counted(to: number): string {
  return Array.from({ length: to }, (_, index) => index + 1).join(' ');
}

/** Expects a whole stream: numbered from 0 without gap or repeat, one terminal event, and that the last. */
export function expectWhole(frames: readonly Frame[]): Frame {
  expect(frames.map((frame) => frame.sequence_number)).toEqual(frames.map((_, index) => index));
  expect(frames.slice(0, 2).map(({ object, status }) => `${object} ${status}`)).toEqual([
    'response created',
    'response in_progress',
  ]);
  expect(frames.filter(isTerminal)).toHaveLength(1);
  const last = frames.at(-1) as Frame;
  expect(isTerminal(last)).toBe(true);
  const announced = new Set(frames.filter(({ object }) => object === 'message').map(({ id }) => id));
  for (const frame of frames) if (frame.object === 'content') expect(announced).toContain(frame.msg_id);
  return last;
}

/** Asks again in short intervals until an answer holds. */
export async function eventually<T>(
  ask: () => Promise<T>,
  holds: (answer: T) => boolean,
  timeoutMs = 10_000,
): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; ;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`Not within ${timeoutMs} ms; last: ${JSON.stringify(answer).slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
