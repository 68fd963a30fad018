import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { answerText, counted, type Frame, isTerminal, userText } from './process-client.js';
import { jsonFrames } from './sse.js';

/** A request that was not answered as it should be. */
export interface FailedRequest {
  readonly client: string;
  readonly error: string;
  /** The port of the client's side of the connection, where the client tells it. */
  readonly localPort?: number;
}

type Send = (url: string, body?: object) => Promise<{ readonly status: number; readonly text: string }>;

const COUNT = 5;
/** Nobody waits for an answer for longer. */
const ANSWER_MS = 30_000;

/** Clients that send one request after the other on kept connections, without a pause and without repeating any. */
export class PauselessClients {
  readonly failed: FailedRequest[] = [];
  /** How many requests were answered. */
  answered = 0;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  private isOver = false;
  private readonly loops: Promise<void>[] = [];

  constructor(private readonly server: string) {}

  /** Starts clients of each kind: `fetch` and `node:http`, each with streams and with short answers. */
  start(ofEachKind: number): void {
    for (let index = 0; index < ofEachKind; index += 1) {
      this.loops.push(
        this.repeat('fetch, short', () => this.read(withFetch)),
        this.repeat('fetch, streams', () => this.stream(withFetch)),
        this.repeat('node:http, short', () => this.read(this.withAgent)),
        this.repeat('node:http, streams', () => this.stream(this.withAgent)),
      );
    }
  }

  /** Lets each client finish its request. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.loops);
    this.agent.destroy();
  }

  private async repeat(client: string, work: () => Promise<void>): Promise<void> {
    while (!this.isOver) {
      try {
        await work();
        this.answered += 1;
      } catch (error) {
        const { localPort } = error as { readonly localPort?: number };
        this.failed.push({ client, error: describe(error), ...(localPort !== undefined && { localPort }) });
      }
    }
  }

  private async read(send: Send): Promise<void> {
    const { status, text } = await send(`${this.server}/api/v1/agent/threads/${randomUUID()}/runs/run-1`);
    if (status !== 404) throw new Error(`${status}: ${text}`);
  }

  private async stream(send: Send): Promise<void> {
    const { status, text } = await send(`${this.server}/process`, userText(`count to ${COUNT}`));
    const end = status === 200 ? (jsonFrames(text).at(-1) as unknown as Frame | undefined) : undefined;
    if (!end || !isTerminal(end) || answerText(end) !== counted(COUNT))
      throw new Error(`${status}: ${text.slice(-500)}`);
  }

  private readonly withAgent: Send = async (url, body) => {
    const outgoing = request(url, {
      agent: this.agent,
      method: body ? 'POST' : 'GET',
      headers: body ? { 'content-type': 'application/json' } : {},
      timeout: ANSWER_MS,
    });
    try {
      return await answerOf(outgoing, body);
    } catch (error) {
      throw Object.assign(new Error(describe(error)), {
        localPort: outgoing.socket?.localPort ?? portOf.get(outgoing),
      });
    }
  };
}

/** The local ports of requests: a socket that has closed does not know its own any more. */
const portOf = new WeakMap<ClientRequest, number>();

async function answerOf(outgoing: ClientRequest, body: object | undefined): ReturnType<Send> {
  outgoing.once('timeout', () => outgoing.destroy(new Error('No answer in time')));
  outgoing.once('socket', (socket) => {
    const note = (): void => void (socket.localPort && portOf.set(outgoing, socket.localPort));
    if (socket.connecting) socket.once('connect', note);
    else note();
  });
  outgoing.end(body && JSON.stringify(body));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text };
}

const withFetch: Send = async (url, body) => {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(ANSWER_MS),
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  return { status: response.status, text: await response.text() };
};

function describe(error: unknown): string {
  const { cause } = error as { readonly cause?: Error };
  return cause ? `${String(error)}: ${cause.message}` : String(error);
}
