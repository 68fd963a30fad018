import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from '../../../../test/support/loopback-server.js';

type Fields = Record<string, unknown>;

/** A stored message. */
interface StoredMessage extends Fields {
  readonly id: string;
  readonly role: string;
  content: Fields[];
}

interface Session {
  readonly id: string;
  readonly name: string;
  readonly userId: string;
  readonly messages: StoredMessage[];
  /** The events of the run in progress: the first 1,000 of the newest 1,000. */
  log: Fields[];
  isRunning: boolean;
  readonly streams: Set<ServerResponse>;
}

/** What a run of the double does with an input: its events, without ids. */
export type AgentScopeScript = (input: unknown, session: { readonly messages: readonly StoredMessage[] }) => Fields[];

/** The events of a text. */
export function textEvents(reply: string, block: string, pieces: readonly string[]): Fields[] {
  const of = { reply_id: reply, block_id: block };
  return [
    { type: 'TEXT_BLOCK_START', ...of },
    ...pieces.map((delta) => ({ type: 'TEXT_BLOCK_DELTA', ...of, delta })),
    { type: 'TEXT_BLOCK_END', ...of, text: null },
  ];
}

/** A reply with these events: its beginning, a model call, and its end. */
export function replyOf(reply: string, events: readonly Fields[], end: Fields = {}): Fields[] {
  const of = { reply_id: reply };
  return [
    { type: 'REPLY_START', ...of, session_id: '', name: 'friend', role: 'assistant' },
    { type: 'MODEL_CALL_START', ...of, model_name: 'upstream-model' },
    ...events,
    { type: 'MODEL_CALL_END', ...of, input_tokens: 3, output_tokens: 4 },
    { type: 'REPLY_END', ...of, session_id: '', finished_reason: 'completed', error: null, ...end },
  ];
}

/** The most events that a stream replays. */
const REPLAYED = 1000;
const INPUT_EVENTS: ReadonlySet<unknown> = new Set(['USER_CONFIRM_RESULT', 'EXTERNAL_EXECUTION_RESULT']);

/**
 * A service of AgentScope 2.0 on loopback, as strict as its own: it needs the user and the agent, makes the ids of
 * sessions, refuses a second run of a session, replays only the run in progress, and stores an answer when its run is over.
 */
export class AgentScopeDouble extends LoopbackServer {
  /** The requests, as `METHOD path`. */
  readonly seen: string[] = [];
  /** The inputs of the runs. */
  readonly inputs: unknown[] = [];
  readonly users: (string | undefined)[] = [];
  readonly sessions = new Map<string, Session>();
  /** Called before each event; may wait, cut the streams, or say that it gets lost on them. */
  onEvent: (event: Fields, index: number) => Promise<'lost' | void> | 'lost' | void = () => undefined;
  script: AgentScopeScript = () => [];
  /** Called when a run has ended and its answer is stored. */
  onEnd: (session: Session) => void = () => undefined;
  /** How many of the next reads of messages fail. */
  failing = 0;
  private count = 0;

  static start(): Promise<AgentScopeDouble> {
    return new AgentScopeDouble().listen();
  }

  /** Ends all streams, as a proxy does that is restarted. */
  cut(): void {
    for (const { streams } of this.sessions.values()) for (const stream of streams) stream.destroy();
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
    const { method = '', url = '', headers } = request;
    const body = bytes.length === 0 ? {} : (JSON.parse(bytes.toString()) as Fields);
    const { pathname, searchParams } = new URL(url, this.url);
    const send = (status: number, value: Fields): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    this.seen.push(`${method} ${pathname}`);
    const userId = headers['x-user-id'];
    this.users.push(typeof userId === 'string' ? userId : undefined);
    if (typeof userId !== 'string') return send(401, { detail: 'X-User-ID header is required.' });
    const agentId = body['agent_id'] ?? searchParams.get('agent_id');
    if (agentId !== 'friend') return send(agentId ? 404 : 422, { detail: 'agent_id' });
    if (pathname === '/sessions/' && method === 'POST') return send(201, { session_id: this.make(body, userId) });
    if (pathname === '/sessions/') return send(200, { sessions: this.list(userId), total: 0 });
    if (pathname === '/chat/' && method === 'POST') return this.chat(body, userId, send);
    const [, id = '', what = ''] = /^\/sessions\/([^/]+)\/(\w+)$/.exec(pathname) ?? [];
    const session = this.sessions.get(id);
    if (session?.userId !== userId) return send(404, { detail: `Session '${id}' not found.` });
    const { messages, isRunning } = session;
    if (what === 'messages' && this.failing > 0) {
      this.failing -= 1;
      return send(500, {});
    }
    if (what === 'messages')
      return send(200, { messages: messages.slice(-50), is_running: isRunning, has_more: false });
    if (what === 'interrupt') return send(202, { session_id: id });
    if (what !== 'stream') return send(404, { detail: 'Not Found' });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(session.log.slice(0, REPLAYED).map(framed).join('') || ':\n\n');
    session.streams.add(response);
    response.on('close', () => session.streams.delete(response));
  }

  private make({ name }: Fields, userId: string): string {
    const id = `session-${(this.count += 1)}`;
    const rest = { messages: [], log: [], isRunning: false, streams: new Set<ServerResponse>() };
    this.sessions.set(id, { id, name: typeof name === 'string' ? name : '', userId, ...rest });
    return id;
  }

  private list(userId: string): Fields[] {
    const own = [...this.sessions.values()].filter((one) => one.userId === userId);
    return own.map(({ id, name, isRunning }) => ({ session: { id, config: { name } }, is_running: isRunning }));
  }

  private chat(body: Fields, userId: string, send: (status: number, value: Fields) => void): void {
    const { session_id: id, input } = body;
    const problem = problemOf(input);
    if (Object.keys(body).some((key) => !['agent_id', 'session_id', 'input'].includes(key)) || problem)
      return send(422, { detail: problem ?? 'unknown field' });
    const session = this.sessions.get(String(id));
    const isMessage = Array.isArray(input);
    if (session?.isRunning && isMessage) return send(409, { detail: 'A chat run is already in flight.' });
    send(200, { status: 'started', session_id: id });
    if (session?.userId === userId) this.begin(session, input);
  }

  /** Begins a run of a session. */
  begin(session: Session, input: unknown): void {
    session.isRunning = true;
    this.inputs.push(input);
    void this.run(session, input);
  }

  private async run(session: Session, input: unknown): Promise<void> {
    const events: Fields[] = [];
    if (Array.isArray(input)) session.messages.push(...(input as StoredMessage[]));
    else {
      const { reply_id: reply } = input as Fields;
      events.push(input as Fields, { type: 'REPLY_START', reply_id: reply, session_id: session.id, name: 'friend' });
    }
    const replies: StoredMessage[] = [];
    events.push(...this.script(input, session));
    for (const [index, made] of events.entries()) {
      const event: Fields = {
        id: `e${(this.count += 1)}`,
        created_at: 'now',
        metadata: {},
        visibility: 'user',
        ...made,
      };
      this.apply(session, replies, event);
      session.log = [...session.log, event].slice(-REPLAYED);
      if ((await this.onEvent(event, index)) === 'lost') continue;
      for (const stream of session.streams) stream.write(framed(event));
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const reply of replies) if (!session.messages.includes(reply)) session.messages.push(reply);
    session.log = [];
    session.isRunning = false;
    this.onEnd(session);
  }

  /** What a stored message is made of. */
  private apply({ messages }: Session, replies: StoredMessage[], event: Fields): void {
    const id = String(event['reply_id']);
    const known = replies.find((one) => one.id === id) ?? messages.find((one) => one.id === id);
    if (event['type'] === 'REPLY_START' && !known) {
      replies.push({ id, role: 'assistant', name: 'friend', content: [], finished_reason: null, usage: null });
      return;
    }
    if (known) applyTo(known, event);
  }
}

function applyTo(reply: StoredMessage, event: Fields): void {
  const { content } = reply;
  const of = (key: string, type: string): Fields | undefined =>
    content.find((one) => one['id'] === event[key] && one['type'] === type);
  const add = (block: Fields, key: string, delta: unknown): void =>
    void (block[key] = `${block[key] as string}${(delta as string | undefined) ?? ''}`);
  const call = of('tool_call_id', 'tool_call');
  const result = of('tool_call_id', 'tool_result');
  switch (event['type']) {
    case 'TEXT_BLOCK_START':
      content.push({ type: 'text', id: event['block_id'], text: '' });
      return;
    case 'TEXT_BLOCK_DELTA':
      return add(of('block_id', 'text') ?? {}, 'text', event['delta']);
    case 'THINKING_BLOCK_START':
      content.push({ type: 'thinking', id: event['block_id'], thinking: '' });
      return;
    case 'THINKING_BLOCK_DELTA':
      return add(of('block_id', 'thinking') ?? {}, 'thinking', event['delta']);
    case 'DATA_BLOCK_DELTA': {
      const { block_id: id, media_type: type, data } = event;
      content.push({ type: 'data', id, source: { type: 'base64', data, media_type: type } });
      return;
    }
    case 'TOOL_CALL_START': {
      const { tool_call_id: id, tool_call_name: name } = event;
      content.push({ type: 'tool_call', id, name, input: '', state: 'pending' });
      return;
    }
    case 'TOOL_CALL_DELTA':
      return add(call ?? {}, 'input', event['delta']);
    case 'TOOL_RESULT_START': {
      const { tool_call_id: id, tool_call_name: name } = event;
      content.push({ type: 'tool_result', id, name, output: '', state: 'running' });
      return;
    }
    case 'TOOL_RESULT_TEXT_DELTA':
      return add(result ?? {}, 'output', event['delta']);
    case 'TOOL_RESULT_END':
      if (result) result['state'] = event['state'];
      if (call) call['state'] = 'finished';
      return;
    case 'REQUIRE_USER_CONFIRM':
    case 'REQUIRE_EXTERNAL_EXECUTION': {
      const state = event['type'] === 'REQUIRE_USER_CONFIRM' ? 'asking' : 'submitted';
      for (const { id } of event['tool_calls'] as Fields[])
        for (const one of content) if (one['id'] === id && one['type'] === 'tool_call') one['state'] = state;
      return;
    }
    case 'MODEL_CALL_END': {
      const before = (reply['usage'] ?? { input_tokens: 0, output_tokens: 0 }) as Record<string, number>;
      reply['usage'] = {
        input_tokens: (before['input_tokens'] ?? 0) + Number(event['input_tokens']),
        output_tokens: (before['output_tokens'] ?? 0) + Number(event['output_tokens']),
      };
      return;
    }
    case 'REPLY_END':
      Object.assign(reply, { finished_reason: event['finished_reason'], error: event['error'] });
      return;
    default:
  }
}

/** Why an input is not valid; undefined if it is. */
function problemOf(input: unknown): string | undefined {
  if (!Array.isArray(input)) {
    const { type, reply_id: reply, confirm_results: confirmed, execution_results: executed } = (input ?? {}) as Fields;
    if (!INPUT_EVENTS.has(type) || typeof reply !== 'string') return 'input';
    const blocks =
      (confirmed as Fields[] | undefined)?.map((one) => one['tool_call'] as Fields) ?? (executed as Fields[]);
    return blocks.every((one) => typeof one['id'] === 'string' && typeof one['name'] === 'string')
      ? undefined
      : 'block';
  }
  for (const message of input as Fields[]) {
    const { name, role, content } = message;
    if (typeof name !== 'string' || !['user', 'assistant', 'system'].includes(String(role))) return 'message';
    if (!Array.isArray(content)) return 'content';
    const types = (content as Fields[]).map((one) => one['type']);
    if (role === 'user' && !types.every((type) => type === 'text' || type === 'data')) return 'blocks of a user';
    if (role === 'system' && !types.every((type) => type === 'text')) return 'blocks of a system message';
  }
  return undefined;
}

function framed(event: Fields): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
