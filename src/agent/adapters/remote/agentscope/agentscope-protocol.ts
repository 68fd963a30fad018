import { AppError, isPlainObject, type JsonObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { objectsAt, textAt } from '../json-fields.js';
import { protocolFailure, RemoteFailure } from '../remote-failure.js';
import { isPathSegment, type RemoteRequest } from '../remote-http.js';
import type { Ask, DetachedStart, Opened, RemoteProtocol, RemoteReader, Turn } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import { answeredCalls, inputOf } from './agentscope-input.js';
import { isWaiting } from './agentscope-blocks.js';
import { AgentScopeReader, STORED } from './agentscope-reader.js';

/** How long a stream may bring nothing before what is stored is looked at, in milliseconds. */
const QUIET_MS = 3000;
/** Messages that are read of a session: the answer and those before it. */
const MESSAGES = 50;
/** The user of an upstream that is told of none: the service requires a name. */
const NOBODY = 'parley';

/**
 * Remote agents of the service of AgentScope 2.0 (contract gateway, section C). A request only starts a run of a session;
 * its events come on a stream of the session that numbers nothing, and what is stored when the run is over decides.
 */
export class AgentScopeProtocol implements RemoteProtocol {
  readonly canReattach = true;
  readonly findsByOwnId = false;
  readonly keeps = true;
  readonly isNamed = false;
  readonly detached: DetachedStart;
  private readonly agentId: string;

  constructor(private readonly config: RemoteAgentConfig) {
    this.agentId = config.agentId ?? '';
    this.detached = {
      quietMs: Math.min(QUIET_MS, config.idleMs / 2),
      place: (turn, ask, isInDoubt) => this.place(turn, ask, isInDoubt),
      hasBegun: (handle, turn, ask) => this.hasBegun(handle, turn, ask),
      accepted: (handle, turn, ask, reader) => this.accepted(handle, turn, ask, reader),
    };
  }

  open(turn: Turn, handle = ''): RemoteRequest {
    const body = { agent_id: this.agentId, session_id: handle, input: inputOf(turn) };
    return this.request('POST', 'chat/', turn, { body });
  }

  /** A session that has another run in progress is busy. */
  refusal(failure: RemoteFailure): RemoteFailure {
    if (failure.answer?.status !== 409) return failure;
    const busy = new AppError('UPSTREAM_BUSY', 'The remote agent is still busy with this conversation', {
      cause: failure,
    });
    return new RemoteFailure('status', busy, failure.answer);
  }

  reader(turn: Turn): RemoteReader {
    return new AgentScopeReader(turn, this.config.secrets);
  }

  follow({ handle }: Opened, _: unknown, turn: Turn): RemoteRequest {
    return this.request('GET', `sessions/${encodeURIComponent(handle)}/stream`, turn, { hasAgent: true });
  }

  look({ handle }: Opened, turn: Turn): ReturnType<NonNullable<RemoteProtocol['look']>> {
    const read = (answer: unknown, reader: RemoteReader, writer: RemoteWriter): void =>
      reader.read({ name: STORED, data: JSON.stringify(answer) }, writer);
    return { request: this.messagesOf(handle, turn), read };
  }

  stop({ handle }: Opened, turn: Turn): RemoteRequest | undefined {
    if (handle === '') return undefined;
    return this.request('POST', `sessions/${encodeURIComponent(handle)}/interrupt`, turn, { hasAgent: true });
  }

  /** The session of the conversation; a new one if it has none. */
  private async place(turn: Turn, ask: Ask, isInDoubt: boolean): Promise<string> {
    const known = knownSession(turn);
    if (known !== undefined) return known;
    const name = `parley ${turn.id}`;
    if (isInDoubt) {
      // Its name is the same in every attempt.
      const listed = await ask(this.request('GET', 'sessions/', turn, { hasAgent: true }));
      const sessions = objectsAt(isPlainObject(listed) ? listed : {}, 'sessions').map((one) => sessionOf(one));
      const found = sessions.find((one) => one.name === name);
      if (found) return found.id;
    }
    const body = { ...this.config.options, agent_id: this.agentId, name };
    const made = await ask(this.request('POST', 'sessions/', turn, { body }));
    const id = isPlainObject(made) ? textAt(made, 'session_id') : undefined;
    if (id === undefined || !isPathSegment(id))
      throw protocolFailure('The remote agent began a session and did not name it');
    return id;
  }

  /** Whether the run that a turn asks for is in progress or over. */
  private async hasBegun(handle: string, turn: Turn, ask: Ask): Promise<boolean> {
    const answer = await ask(this.messagesOf(handle, turn));
    if (!isPlainObject(answer)) return false;
    const messages = objectsAt(answer, 'messages');
    if (answer['is_running'] === true || messages.some((one) => textAt(one, 'id') === turn.id)) return true;
    const answered = answeredCalls(turn);
    const waiting = messages.flatMap((one) => objectsAt(one, 'content')).filter(isWaiting);
    return answered.length > 0 && !answered.some(({ callId }) => waiting.some((one) => textAt(one, 'id') === callId));
  }

  /** The stream of a session that had runs before may begin with the end of one. */
  private async accepted(handle: string, turn: Turn, ask: Ask, reader: RemoteReader): Promise<void> {
    if (knownSession(turn) === undefined || !(reader instanceof AgentScopeReader)) return;
    try {
      const answer = await ask(this.messagesOf(handle, turn));
      reader.noteEarlier(objectsAt(isPlainObject(answer) ? answer : {}, 'messages'));
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      // What of the stream is its own cannot be told: all of it comes from the store.
      reader.reconnected();
    }
  }

  private messagesOf(handle: string, turn: Turn): RemoteRequest {
    const path = `sessions/${encodeURIComponent(handle)}/messages`;
    return this.request('GET', path, turn, { hasAgent: true, limit: MESSAGES });
  }

  private request(
    method: 'GET' | 'POST',
    path: string,
    { user }: Turn,
    { body, hasAgent, limit }: { readonly body?: JsonObject; readonly hasAgent?: boolean; readonly limit?: number },
  ): RemoteRequest {
    const url = new URL(this.config.url);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
    if (hasAgent) url.searchParams.set('agent_id', this.agentId);
    if (limit !== undefined) url.searchParams.set('limit', String(limit));
    // The owner of the agent may be configured in place of the user.
    const isNamed = Object.hasOwn(this.config.headers, 'x-user-id');
    const headers: Record<string, string> = isNamed ? {} : { 'x-user-id': user ?? NOBODY };
    return { method, url, headers, ...(body && { body: JSON.stringify(body) }) };
  }
}

/** The session that a turn goes on with; undefined if it begins one. */
function knownSession({ decisions, before, after }: Turn): string | undefined {
  return (decisions[0]?.handle ?? textAt(before ?? {}, 'handle') ?? after?.handle) || undefined;
}

/** A session in the list: bare, or within what the list adds to it. */
function sessionOf(listed: Readonly<Record<string, unknown>>): { readonly id: string; readonly name: string } {
  const inner = isPlainObject(listed['session']) ? listed['session'] : listed;
  const config = isPlainObject(inner['config']) ? inner['config'] : {};
  return { id: textAt(inner, 'id') ?? '', name: textAt(config, 'name') ?? textAt(inner, 'name') ?? '' };
}
