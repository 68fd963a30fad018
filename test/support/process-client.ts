import { type SseFrame, SseStream } from './sse.js';
import { until } from './until.js';

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

/** An event stream of the Agent API. */
export class FrameStream extends SseStream<Frame> {
  /** `[DONE]` was seen. */
  done = false;

  protected override decode({ id, event, data, raw }: SseFrame): Frame | undefined {
    if (id !== undefined || event !== undefined) throw new Error(`Not a frame of the Agent API: ${raw.slice(0, 100)}`);
    if (data !== '[DONE]') return JSON.parse(data) as Frame;
    this.done = true;
    return undefined;
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

  /** The current response. */
  async read(runId: string): Promise<Answer> {
    return this.json('GET', `/process/${runId}`);
  }

  /** The response when its run has ended, however long that takes. */
  async ended(runId: string): Promise<Frame> {
    return until(
      async () => {
        const { body } = await this.read(runId);
        return isTerminal(body) && body;
      },
      `run ${runId} has ended`,
      60_000,
    );
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
