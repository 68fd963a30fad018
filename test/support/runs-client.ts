import { randomUUID } from 'node:crypto';
import type { AgUiEvent } from '../../src/protocol/ag-ui-events/index.js';
import { checkShapes, replay } from './ag-ui-replay.js';
import { type SseFrame, SseStream } from './sse.js';

/** A body of `POST /runs` with one user text. */
export function runInput(text: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    threadId: randomUUID(),
    runId: 'run-1',
    messages: [{ id: 'msg-1', role: 'user', content: text }],
    forwardedProps: { agent_type: 'worker' },
    ...changes,
  };
}

/** The answer of `POST /runs`. */
export interface Accepted {
  readonly taskId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly created: boolean;
}

/** The state of a run (contract runs-api, section 4). */
export interface RunState {
  readonly taskId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly lastEventId: string | null;
  readonly lastSeq: number | null;
  readonly queuePosition: number | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: { readonly inputTokens: number } | null;
}

/** A JSON answer. */
export interface RunsAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** One frame of an event stream as it came: its id, its fields besides, and its event. */
export interface RunsFrame {
  readonly id: string;
  readonly raw: string;
  readonly event: AgUiEvent & { readonly timestamp: number };
}

/** An event stream of the Runs API. */
export class RunsStream extends SseStream<RunsFrame> {
  get events(): (AgUiEvent & { readonly timestamp: number })[] {
    return this.frames.map(({ event }) => event);
  }

  /** The text of all frames, byte for byte. */
  get raw(): string {
    return this.frames.map(({ raw }) => raw).join('\n\n');
  }

  /** The assistant's text. */
  get text(): string {
    return this.events.map((event) => (event.type === 'TEXT_MESSAGE_CONTENT' ? event.delta : '')).join('');
  }

  protected override decode({ raw }: SseFrame): RunsFrame {
    const match = /^id: (\d+-\d+)\n(?:retry: \d+\n)?data: (\{.*\})$/.exec(raw);
    if (!match) throw new Error(`Not a frame of the Runs API: ${raw.slice(0, 200)}`);
    return {
      id: match[1] as string,
      raw: raw.replace(/^retry: \d+\n/m, ''),
      event: JSON.parse(match[2] as string) as RunsFrame['event'],
    };
  }
}

/** A client of the Runs API that knows nothing of the server but its address. */
export class RunsClient {
  constructor(private readonly url: string) {}

  /** `POST /runs`, accepted. */
  async submit(body: unknown, query = ''): Promise<RunsAnswer<Accepted>> {
    return this.json('POST', `/runs${query}`, body);
  }

  /** `POST /runs` whose answer are the events. */
  stream(body: unknown, query = '?prefer=stream'): Promise<RunsStream> {
    return this.open(`/runs${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** The events of a thread. */
  events(threadId: string, query = '', lastEventId?: string): Promise<RunsStream> {
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.open(`/runs/${threadId}/events${query}`, { headers });
  }

  view(threadId: unknown, runId: unknown, query = ''): Promise<RunsAnswer<RunState>> {
    return this.json('GET', `/runs/${String(threadId)}/${encodeURIComponent(String(runId))}${query}`);
  }

  /** A run when it is over. */
  async ended(threadId: unknown, runId: unknown): Promise<RunState> {
    for (;;) {
      const { body } = await this.view(threadId, runId, '?wait=20');
      if (!['queued', 'running', 'cancelling'].includes(body.status)) return body;
    }
  }

  /** Any request whose answer is JSON or empty. */
  async json<T>(method: string, path: string, body?: unknown, headers: object = {}): Promise<RunsAnswer<T>> {
    const answer = await fetch(`${this.url}/api/v1/agent${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: (text === '' ? undefined : JSON.parse(text)) as T };
  }

  private async open(path: string, init: RequestInit): Promise<RunsStream> {
    const controller = new AbortController();
    const response = await fetch(`${this.url}/api/v1/agent${path}`, { ...init, signal: controller.signal });
    return new RunsStream(response, controller);
  }
}

/** Expects a whole run: ids without gap or repeat, shapes and an order that the reference client takes, one end. */
export async function expectWhole(stream: Pick<RunsStream, 'frames'>, ordinal = 1): Promise<void> {
  const { frames } = stream;
  expect(frames.map(({ id }) => id)).toEqual(frames.map((_, index) => `${ordinal}-${index + 1}`));
  const events = frames.map(({ event: { timestamp, ...event } }) => {
    expect(timestamp).toBeGreaterThan(1_700_000_000_000);
    return event;
  });
  checkShapes(events);
  const ends = events.filter(({ type }) => type === 'RUN_FINISHED' || type === 'RUN_ERROR');
  expect(ends).toEqual([events.at(-1)]);
  await replay('v1', events);
}
