import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ModelEvent, ModelRequest } from '../../src/agent/index.js';
import { finish, ScriptedModelClient, type ScriptStep, text } from '../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../src/common/index.js';
import { type AgentResponse, isTerminalEvent } from '../../src/events/index.js';
import { Runs } from '../../src/run/index.js';
import { CALLER } from './caller.js';
import type { WireEvent } from './responses-reader.js';
import { type ServerOptions, startServer, type TestServer } from './server.js';

/** How the answers to `hold` and `break` begin. */
export const BEGINNING = 'Once upon';

/**
 * A server whose model obeys the question, and a client of it. `hold` begins an answer and never
 * ends it, `break` begins one and fails, `refuse` refuses it, anything else is repeated word by word.
 */
export class ResponsesDriver {
  private constructor(
    readonly server: TestServer,
    private readonly model: EchoModel,
  ) {}

  static async start(options: ServerOptions = {}): Promise<ResponsesDriver> {
    const model = new EchoModel();
    return new ResponsesDriver(await startServer({ ...options, model }), model);
  }

  /** Resolves when the next held answer has begun. Ask before the question is sent. */
  begins(): Promise<void> {
    return new Promise((resolve) => (this.model.begun = resolve));
  }

  post(body: object, init: RequestInit = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
    return fetch(`${this.server.url}/v1/responses`, { ...init, method: 'POST', headers, body: JSON.stringify(body) });
  }

  async response(id: string): Promise<Record<string, unknown>> {
    return (await (await fetch(`${this.server.url}/v1/responses/${id}`)).json()) as Record<string, unknown>;
  }

  /** Waits for the end of a run, whoever reads it. */
  async ended(id: string): Promise<AgentResponse | undefined> {
    for await (const batch of this.server.get(Runs).tail(CALLER.reach, id, { accepted: true })) {
      const last = batch.at(-1)?.event;
      if (last && isTerminalEvent(last)) return last;
    }
    return undefined;
  }

  /** An open connection, or the HTTP status with which it was refused. */
  async connect(headers: Record<string, string> = {}): Promise<BenchSocket | number> {
    const socket = new WebSocket(`${this.server.url.replace('http', 'ws')}/v1/responses`, { headers });
    return new Promise((resolve, reject) => {
      socket.once('unexpected-response', (request, { statusCode }) => {
        request.destroy();
        resolve(statusCode ?? 0);
      });
      socket.once('open', () => resolve(new BenchSocket(socket)));
      socket.once('error', reject);
    });
  }

  async socket(): Promise<BenchSocket> {
    const connected = await this.connect();
    if (typeof connected === 'number') throw new Error(`Refused with ${connected}`);
    return connected;
  }
}

/** A WebSocket connection whose messages are kept. */
export class BenchSocket {
  readonly events: WireEvent[] = [];
  private readonly waiting: { holds: () => boolean; resolve: () => void }[] = [];

  constructor(readonly raw: WebSocket) {
    raw.on('message', (data: Buffer) => {
      this.events.push(JSON.parse(data.toString()) as WireEvent);
      this.look();
    });
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  /** The ids of the responses in the events, in order. */
  get ids(): string[] {
    return [...new Set(this.events.flatMap(({ response }) => response?.id ?? []))];
  }

  create(body: object): void {
    this.raw.send(JSON.stringify({ type: 'response.create', ...body }));
  }

  /** Waits for a number of messages of a type. Returns the last of them. */
  async until(type: string, count = 1): Promise<WireEvent> {
    const found = (): WireEvent[] => this.events.filter((event) => event.type === type);
    await new Promise<void>((resolve) => {
      this.waiting.push({ holds: () => found().length >= count, resolve });
      this.look();
    });
    const event = found()[count - 1];
    if (!event) throw new Error(`There is no ${type}`);
    return event;
  }

  /** Waits for the end of the connection. */
  async closed(): Promise<{ code: number; reason: string }> {
    const [code, reason] = (await once(this.raw, 'close')) as [number, Buffer];
    return { code, reason: reason.toString() };
  }

  private look(): void {
    for (const one of this.waiting.filter(({ holds }) => holds())) {
      this.waiting.splice(this.waiting.indexOf(one), 1);
      one.resolve();
    }
  }
}

class EchoModel extends ScriptedModelClient {
  /** Called when a held answer has begun. */
  begun: () => void = () => undefined;

  constructor() {
    super((request) => scriptOf(request, () => this.begun()));
  }
}

function refusal(piece: string): ModelEvent {
  return { type: 'refusal-delta', text: piece };
}

function scriptOf(request: ModelRequest, begun: () => void): readonly ScriptStep[] {
  const last = request.messages.findLast(({ role }) => role === 'user');
  const question = last?.role === 'user' && last.content[0]?.type === 'text' ? last.content[0].text : '';
  if (question === 'hold') return [text(BEGINNING), { type: 'do', action: begun }, { type: 'hang' }];
  if (question === 'refuse') return [refusal('I cannot '), refusal('do that.'), finish()];
  const error = new AppError('MODEL_EXECUTION_FAILED', 'The model is away');
  if (question === 'break') return [text(BEGINNING), { type: 'throw', error }];
  return [...question.split(/(?<= )/).map((word): ModelEvent => text(word)), finish()];
}
