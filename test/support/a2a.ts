import type { TestServer } from './server.js';

/** A frame of a stream: its id, and its JSON. */
export interface A2aFrame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Shown;
}

/** A part of an answer, as far as tests look into it. */
export interface ShownPart {
  readonly text?: string;
  readonly url?: string;
  readonly raw?: string;
  readonly mediaType?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A message of an answer. */
export interface ShownMessage {
  readonly messageId: string;
  readonly role: string;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly parts: readonly ShownPart[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A status of an answer. */
export interface ShownStatus {
  readonly state: string;
  readonly message?: ShownMessage;
  readonly timestamp: string;
}

/** A task of an answer. */
export interface ShownTask {
  readonly kind?: string;
  readonly id: string;
  readonly contextId: string;
  readonly status: ShownStatus;
  readonly artifacts?: readonly {
    readonly artifactId: string;
    readonly name?: string;
    readonly parts: readonly ShownPart[];
  }[];
  readonly history?: readonly ShownMessage[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The bare frame of 1.0, or an answer to a call, or an error. */
export interface Shown {
  readonly task?: ShownTask;
  readonly message?: ShownMessage;
  readonly statusUpdate?: {
    readonly taskId: string;
    readonly status: ShownStatus;
    readonly metadata?: Readonly<Record<string, unknown>>;
  };
  readonly artifactUpdate?: {
    readonly artifact: { readonly artifactId: string; readonly parts: readonly ShownPart[] };
    readonly append?: boolean;
    readonly lastChunk?: boolean;
    readonly metadata?: Readonly<Record<string, unknown>>;
  };
  readonly id?: string | number | null;
  readonly result?: Shown &
    ShownTask &
    ShownUpdate03 & {
      readonly tasks?: readonly ShownTask[];
      readonly nextPageToken?: string;
      readonly totalSize?: number;
    };
  readonly error?: {
    readonly code: number;
    readonly status?: string;
    readonly message: string;
    readonly data?: unknown;
    readonly details?: readonly Readonly<Record<string, unknown>>[];
  };
}

/** A frame of 0.3. */
export interface ShownUpdate03 {
  readonly kind?: string;
  readonly final?: boolean;
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly artifact?: { readonly artifactId: string; readonly parts: readonly ShownPart[] };
}

type Headers = Readonly<Record<string, string>>;

/** A message of a user, for the parameters of sending. */
export function saying(text: string, fields: Readonly<Record<string, unknown>> = {}): { readonly message: object } {
  return { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...fields } };
}

/** The same for 0.3. */
export function saying03(text: string, fields: Readonly<Record<string, unknown>> = {}): { readonly message: object } {
  const parts = [{ kind: 'text', text }];
  return { message: { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts, ...fields } };
}

/** A client of the wire that hides nothing. */
export class A2aClient {
  constructor(
    private readonly server: Pick<TestServer, 'url'>,
    private readonly headers: Headers = {},
    private readonly base = '/a2a',
  ) {}

  /** A request to the REST binding. @param path below the base */
  rest(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Response> {
    return fetch(`${this.server.url}${this.base}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...this.headers, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  /** A call by JSON-RPC, as the whole response. */
  post(method: string, params: unknown, headers: Headers = {}): Promise<Response> {
    return this.rest('POST', '', { jsonrpc: '2.0', id: 1, method, params }, headers);
  }

  /** A call by JSON-RPC. */
  async rpc(method: string, params: unknown, headers: Headers = {}): Promise<Shown> {
    return (await (await this.post(method, params, headers)).json()) as Shown;
  }

  /** The task that a message makes. */
  async send(params: object, headers: Headers = {}): Promise<ShownTask> {
    const { result, error } = await this.rpc('SendMessage', params, headers);
    if (!result?.task) throw new Error(`no task: ${JSON.stringify(error ?? result)}`);
    return result.task;
  }

  /** A task as it is. */
  async get(id: string): Promise<ShownTask> {
    const { result, error } = await this.rpc('GetTask', { id });
    if (!result) throw new Error(JSON.stringify(error));
    return result;
  }

  /** The frames of a stream by the REST binding, to its end. */
  async stream(path: string, body?: unknown, headers: Headers = {}): Promise<readonly A2aFrame[]> {
    return framesOf(await (await this.rest('POST', path, body, headers)).text());
  }
}

/** The frames of a whole stream; comments are left out. */
export function framesOf(text: string): readonly A2aFrame[] {
  return text.split('\n\n').flatMap((frame) => {
    const lines = frame.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const data = field('data');
    return data === undefined ? [] : [{ id: field('id'), event: field('event'), data: JSON.parse(data) as Shown }];
  });
}

/** The text of all artifact updates of a stream, as a client has it that concatenates them. */
export function textOf(frames: readonly A2aFrame[]): string {
  return frames
    .flatMap(({ data }) => data.artifactUpdate?.artifact.parts ?? [])
    .map(({ text = '' }) => text)
    .join('');
}

/** The states of a stream in order: of its task, then of its updates. */
export function statesOf(frames: readonly A2aFrame[]): readonly string[] {
  return frames.flatMap(({ data }) => data.task?.status.state ?? data.statusUpdate?.status.state ?? []);
}
