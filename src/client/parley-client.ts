import type { components, paths } from './api.js';
import { type Ask, type ClientOptions, Connection } from './connection.js';
import { ParleyError } from './parley-error.js';

type Schemas = components['schemas'];
type Filters<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? Readonly<Omit<NonNullable<Q>, 'cursor'>>
  : never;

type Tools = paths['/api/v1/tools']['get']['responses'][200]['content']['application/json'];
/** Many things, one by one, as they are read or arrive. */
type Items<T> = AsyncGenerator<T, void, void>;

/** What can be cut short. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A run of a thread, which may be started again without being executed twice. */
export interface StartRequest extends Pick<Schemas['RunsRunAgentInputDto'], 'state' | 'tools' | 'context'> {
  /** An agent type. */
  readonly agent: string;
  /** The message of the user: its text, or the whole message with images. */
  readonly message: string | Omit<Schemas['RunMessageDto'], 'id' | 'role'>;
  /** A UUID. Default: a new thread. */
  readonly threadId?: string;
  /** Unique in the thread. Default: a new UUID. */
  readonly runId?: string;
  /** What happens if the thread is busy. */
  readonly multitask?: 'enqueue' | 'reject' | 'interrupt' | 'rollback';
}

/** What was started: `taskId` is the server's id of the run. */
export type StartedRun = Schemas['TaskAcceptedDto'];
/** What is chosen of a webhook. */
export type WebhookRequest = Schemas['CreateWebhookDto'];
/** A webhook, without its secret. */
export type Webhook = Schemas['WebhookDto'];
/** A webhook that was just created, with its secret. */
export type IssuedWebhook = Schemas['IssuedWebhookDto'];
/** What is chosen of a schedule. Of `cron`, `every` and `at`, one is given. */
export type ScheduleRequest = Schemas['CreateScheduleDto'];
export type Schedule = Schemas['ScheduleDto'];
/** The answer to an approval or an input; `payload` is any JSON value that the input asks for. */
export type InterruptAnswer = Omit<Schemas['InterruptAnswerDto'], 'payload'> & { readonly payload?: unknown };
/** An AG-UI event, with the cursor after which `follow` continues. */
export interface RunEvent {
  readonly id: string;
  readonly event: { readonly type: string; readonly timestamp?: number; readonly [member: string]: unknown };
}
/** An event of a run in the vocabulary of the server, whichever wire began it. */
export type LoggedEvent = Schemas['LoggedEventDto'];
/** A frame of a wire: its number from 1, and its text as it would be on the wire. */
export interface WireFrame {
  readonly index: number;
  readonly frame: string;
}

const ENDS: ReadonlySet<string> = new Set(['RUN_FINISHED', 'RUN_ERROR']);

/**
 * A client of one server, for what no protocol has: durable starts, streams that continue by themselves, runs of every
 * wire, approvals, lists. It runs in Node, browsers and workers and has no dependencies.
 *
 * While the server cannot be reached or is busy, calls and streams wait and try again, for up to `outageMs`. Every method
 * throws ParleyError, or the reason of its signal.
 */
export class ParleyClient {
  private readonly connection: Connection;

  constructor(options: ClientOptions) {
    this.connection = new Connection(options);
  }

  /** Starts a run, once: it is accepted under ids that are chosen here, however often the request has to be sent. */
  start(request: StartRequest, { signal }: CallOptions = {}): Promise<StartedRun> {
    const { agent, message, threadId = uuid(), runId = uuid(), multitask, ...more } = request;
    const content = typeof message === 'string' ? { content: message } : message;
    const body = {
      ...more,
      threadId,
      runId,
      messages: [{ ...content, id: `${runId.slice(0, 240)}-message`, role: 'user' }],
      forwardedProps: { agent_type: agent },
    };
    return this.connection.json('api/v1/agent/runs', { body, query: { multitask }, signal });
  }

  /** The AG-UI events of a started run, from the first one or after a cursor, each once, until the run ends. */
  async *follow(
    { threadId, runId }: Pick<StartedRun, 'threadId' | 'runId'>,
    { after, signal }: CallOptions & { readonly after?: string } = {},
  ): Items<RunEvent> {
    const path = `api/v1/agent/runs/${encodeURIComponent(threadId)}/events`;
    for await (const { id, data } of this.connection.stream(path, { query: { runId }, signal }, after)) {
      const event = parsed<RunEvent['event']>(data);
      yield { id, event };
      if (ENDS.has(event.type)) return;
    }
  }

  /** The events of any run by the server's id, each once, until it ends. @param after the `seq` of the last known one */
  async *events(id: string, options: CallOptions & { readonly after?: number } = {}): Items<LoggedEvent> {
    yield* this.watched<LoggedEvent>(`${runPath(id)}/events/stream`, {}, options);
  }

  /** The frames that a wire would send for any run, each once, until it ends. @param after the last known `index` */
  async *watch(
    id: string,
    { wire, ...options }: CallOptions & { readonly wire: string; readonly after?: number },
  ): Items<WireFrame> {
    yield* this.watched<WireFrame>(`${runPath(id)}/frames`, { wire }, options);
  }

  /** A run by the server's id. */
  run(id: string, options: CallOptions = {}): Promise<Schemas['RunDetailDto']> {
    return this.connection.json(runPath(id), options);
  }

  /** Waits until a run has ended. Returns it. */
  async ended(id: string, options: CallOptions = {}): Promise<Schemas['RunDetailDto']> {
    const run = await this.run(id, options);
    if (run.endedAt !== null) return run;
    const events = this.events(id, { ...options, after: run.eventCount - 1 });
    while (!(await events.next()).done);
    return this.run(id, options);
  }

  /** The response of a run, with its output messages, usage and error. */
  response(id: string, options: CallOptions = {}): Promise<Schemas['AgentResponseDto']> {
    return this.connection.json(`${runPath(id)}/response`, options);
  }

  /** Requests the cancellation of a run. Returns it; it may end a moment later, and may have ended before. */
  cancel(id: string, options: CallOptions = {}): Promise<Schemas['RunDetailDto']> {
    return this.connection.json(`${runPath(id)}/cancel`, { ...options, method: 'POST' });
  }

  /** Approvals and inputs that wait or were answered. */
  interrupts(filters: Filters<'/interrupts'> = {}, options: CallOptions = {}): Items<Schemas['InterruptDto']> {
    return this.pages('interrupts', filters, options);
  }

  /** An approval or an input. */
  interrupt(id: string, options: CallOptions = {}): Promise<Schemas['InterruptDto']> {
    return this.connection.json(`interrupts/${encodeURIComponent(id)}`, options);
  }

  /** Answers an approval or an input. An answer that was given before is refused, unless it is the same. */
  answer(id: string, answer: InterruptAnswer, options: CallOptions = {}): Promise<Schemas['InterruptDto']> {
    return this.connection.json(`interrupts/${encodeURIComponent(id)}`, { ...options, body: answer });
  }

  /** Runs of all wires, newest first. */
  runs(filters: Filters<'/api/v1/runs'> = {}, options: CallOptions = {}): Items<Schemas['RunListDto']['data'][number]> {
    return this.pages('api/v1/runs', filters, options);
  }

  /** Sessions, the last changed first. */
  sessions(
    filters: Filters<'/api/v1/sessions'> = {},
    options: CallOptions = {},
  ): Items<Schemas['SessionListDto']['data'][number]> {
    return this.pages('api/v1/sessions', filters, options);
  }

  /** The messages of a session, the newest first. */
  messages(
    sessionId: string,
    filters: Filters<'/api/v1/sessions/{id}/messages'> = {},
    options: CallOptions = {},
  ): Items<Schemas['SessionMessagesDto']['data'][number]> {
    return this.pages(`api/v1/sessions/${encodeURIComponent(sessionId)}/messages`, filters, options);
  }

  /** The agents that the caller may run. */
  async agents(options: CallOptions = {}): Promise<readonly Schemas['AgentDto'][]> {
    return (await this.connection.json<Schemas['AgentListDto']>('api/v1/agents', options)).data;
  }

  /** The tools that the caller may use. */
  async tools(options: CallOptions = {}): Promise<Tools['data']> {
    return (await this.connection.json<Tools>('api/v1/tools', options)).data;
  }

  /** The webhooks of the tenant, oldest first. */
  webhooks(options: CallOptions = {}): Items<Webhook> {
    return this.pages('api/v1/webhooks', {}, options);
  }

  /** Creates a webhook. The answer has its secret. Not repeated if the answer is lost. */
  createWebhook(body: WebhookRequest, { signal }: CallOptions = {}): Promise<IssuedWebhook> {
    return this.connection.json('api/v1/webhooks', { body, signal, repeatable: false });
  }

  /** The schedules of the caller, newest first. */
  schedules(options: CallOptions = {}): Items<Schedule> {
    return this.pages('api/v1/schedules', {}, options);
  }

  /** Creates a schedule. Not repeated if the answer is lost. */
  createSchedule(body: ScheduleRequest, { signal }: CallOptions = {}): Promise<Schedule> {
    return this.connection.json('api/v1/schedules', { body, signal, repeatable: false });
  }

  /** Uploads an image, for the `url` in a message. Not repeated if the answer is lost. */
  upload(
    file: Blob,
    { name = 'image', threadId, signal }: CallOptions & { readonly name?: string; readonly threadId?: string } = {},
  ): Promise<Schemas['AttachmentDto']> {
    const body = new FormData();
    if (threadId !== undefined) body.set('threadId', threadId);
    body.set('file', file, name);
    return this.connection.json('api/v1/agent/attachments', { body, signal, repeatable: false });
  }

  private async *watched<T>(
    path: string,
    query: NonNullable<Ask['query']>,
    { after, signal }: CallOptions & { readonly after?: number },
  ): Items<T> {
    const cursor = after === undefined || after < 0 ? undefined : String(after);
    for await (const { data } of this.connection.stream(path, { query, signal }, cursor)) yield parsed<T>(data);
  }

  private async *pages<T>(path: string, filters: object, options: CallOptions): Items<T> {
    let cursor: string | undefined;
    do {
      const query = { ...(filters as NonNullable<Ask['query']>), cursor };
      const page = await this.connection.json<{ data: T[]; nextCursor: string | null }>(path, { ...options, query });
      yield* page.data;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
}

function runPath(id: string): string {
  return `api/v1/runs/${encodeURIComponent(id)}`;
}

/** @throws ParleyError for something else than JSON */
function parsed<T>(data: string): T {
  try {
    return JSON.parse(data) as T;
  } catch {
    throw new ParleyError('invalid_event', `The stream has an event that is not JSON: ${data.slice(0, 100)}`, 200);
  }
}

/** `crypto.randomUUID`, which browsers have only for secure origins. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
