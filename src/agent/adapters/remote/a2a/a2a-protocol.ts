import { AppError, type ErrorCode, type JsonObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { fieldsOf, objectAt } from '../json-fields.js';
import type { SseEvent } from '../remote-connection.js';
import { protocolFailure, RemoteFailure } from '../remote-failure.js';
import type { RemoteRequest } from '../remote-http.js';
import { openedAs } from '../remote-journal.js';
import type { Ask, Doubt, Opened, RemoteProtocol, RemoteReader, Settlement, Turn } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import { type A2aCall, requestOf } from './a2a-calls.js';
import { type A2aInterface, interfaceAt, placeOf } from './a2a-card.js';
import { A2aCardReader } from './a2a-card-reader.js';
import { codeIn, TASK_GONE, TASK_NOT_FOUND, UNSUPPORTED } from './a2a-frames.js';
import { taskIn } from './a2a-handle.js';
import { answeredBy, answersTask, followedBy, messageOf } from './a2a-message.js';
import { A2aReader } from './a2a-reader.js';
import { taskWithMessage } from './a2a-search.js';

/** What a server of another version answers to a method: there is none, or the version is not spoken. */
const OTHER_VERSION: ReadonlySet<unknown> = new Set([-32601, -32009]);

/**
 * Remote agents that speak A2A, in version 1.0 over JSON-RPC or HTTP+JSON, or in version 0.3 over JSON-RPC (contract a2a,
 * section 15).
 */
export class A2aProtocol implements RemoteProtocol {
  readonly canReattach = true;
  readonly findsByOwnId = false;
  readonly keeps = true;
  readonly isNamed = false;
  readonly takesJson = true;
  /** A message is a whole answer, without a task. */
  readonly follows = (handle: string): boolean => taskIn(handle) !== '';
  private readonly cards: A2aCardReader;

  constructor(private readonly config: RemoteAgentConfig) {
    this.cards = new A2aCardReader(config);
  }

  /** The card is read if it is not known or old, and the exchange has not kept what it said. */
  async prepare(get: Ask, opened?: Opened): Promise<void> {
    if (!interfaceAt(opened?.place, this.config)) await this.cards.read(get);
  }

  /** A message in doubt is looked for; otherwise a server that takes a message with the same id once can get it again. */
  async settle({ turn, begunAt, ask }: Doubt): Promise<Settlement> {
    const at = this.cards.card?.at;
    if (!at) return { kind: 'unknown' };
    // No message is sent.
    if (followedBy(turn) !== undefined) return { kind: 'repeatable' };
    const handle = await taskWithMessage({ turn, at, begunAt, call: (call) => ask(this.request(at, call)) });
    if (handle !== undefined) return { kind: 'begun', opened: openedAs(handle, this, placeOf(at)) };
    return { kind: at.isIdempotent ? 'repeatable' : 'unknown' };
  }

  open(turn: Turn): RemoteRequest {
    return this.opening(turn, this.interface);
  }

  private opening(turn: Turn, at: A2aInterface): RemoteRequest {
    const followed = followedBy(turn);
    if (followed === undefined) return this.send(turn, at);
    const operation = at.hasStreaming ? 'subscribe' : 'get';
    return { ...this.request(at, { operation, taskId: taskIn(followed), id: turn.id }), place: placeOf(at) };
  }

  private send(turn: Turn, at: A2aInterface): RemoteRequest {
    const { version, hasStreaming } = at;
    const message = { message: messageOf(turn, version), configuration: configurationOf(version, hasStreaming) };
    const headers = { 'idempotency-key': turn.id };
    const call: A2aCall = { operation: hasStreaming ? 'stream' : 'send', id: turn.id, message, headers };
    return { ...this.request(at, call), place: placeOf(at) };
  }

  /** Missing or wrong credentials: the error says what the card asks for. An answer to a task that is gone: it is lost. */
  refusal(failure: RemoteFailure, turn: Turn): RemoteFailure {
    const { error, answer } = failure;
    const as = (code: ErrorCode, sentence: string): RemoteFailure =>
      new RemoteFailure('status', new AppError(code, sentence, { cause: failure }), answer);
    const credentials = this.cards.card?.credentials;
    if (error.code === 'UPSTREAM_UNAUTHORIZED' && credentials !== undefined)
      return as(error.code, `${error.message}. Its card asks for ${credentials}`);
    if (answer && answersTask(turn) && codeIn(answer.body) === TASK_NOT_FOUND) return as('UPSTREAM_LOST', TASK_GONE);
    return failure;
  }

  /** A question that has ended meanwhile: the task says how it goes on. */
  goesOn({ answer }: RemoteFailure, turn: Turn): string | undefined {
    return answer && answersTask(turn) && codeIn(answer.body) === UNSUPPORTED ? answeredBy(turn)?.handle : undefined;
  }

  /**
   * Cards lie about versions: a message to a server that has no such method is written once in the other version. If that is
   * understood it counts as long as the card does.
   */
  rewrites({ data }: SseEvent, { place }: RemoteRequest, turn: Turn): RemoteRequest | undefined {
    const at = interfaceAt(place, this.config);
    if (at?.binding !== 'JSONRPC' || this.config.protocol) return undefined;
    const fields = fieldsOf({ data });
    if (at.isGuess) {
      if (!fields['error']) this.cards.understood(at.version);
      return undefined;
    }
    if (!OTHER_VERSION.has(objectAt(fields, 'error')['code'])) return undefined;
    return this.opening(turn, { ...at, version: at.version === '1.0' ? '0.3' : '1.0', isGuess: true });
  }

  reader(turn: Turn): RemoteReader {
    return new A2aReader(this.config, answeredBy(turn), () => this.cards.card?.at.isIdempotent === true);
  }

  follow({ handle, place }: Opened, _: unknown, { id }: Turn): RemoteRequest | undefined {
    const at = interfaceAt(place, this.config) ?? this.interface;
    return at.hasStreaming ? this.request(at, { operation: 'subscribe', taskId: taskIn(handle), id }) : undefined;
  }

  look({ handle, place }: Opened): ReturnType<NonNullable<RemoteProtocol['look']>> {
    const at = interfaceAt(place, this.config) ?? this.interface;
    const request = this.request(at, { operation: 'get', taskId: taskIn(handle), id: 'look' });
    const read = (answer: unknown, reader: RemoteReader, writer: RemoteWriter): void => {
      reader.reconnected();
      reader.read({ name: '', data: JSON.stringify(answer) }, writer);
    };
    return { request, read };
  }

  stop({ handle, place }: Opened, { id }: Turn): RemoteRequest | undefined {
    const at = interfaceAt(place, this.config) ?? this.cards.card?.at;
    if (taskIn(handle) === '' || !at) return undefined;
    return this.request(at, { operation: 'cancel', taskId: taskIn(handle), id });
  }

  private request(at: A2aInterface, call: A2aCall): RemoteRequest {
    const { extensions } = this.config;
    return requestOf(at, {
      ...call,
      extensions,
      ...(call.operation === 'get' && { query: { historyLength: 0, ...call.query } }),
    });
  }

  private get interface(): A2aInterface {
    const { card } = this.cards;
    if (!card) throw protocolFailure('The card of the remote agent is not known');
    return card.at;
  }
}

function configurationOf(version: string, hasStreaming: boolean): JsonObject {
  const modes = { acceptedOutputModes: ['text/plain', 'application/json'] };
  if (hasStreaming) return modes;
  return version === '1.0' ? { ...modes, returnImmediately: true } : { ...modes, blocking: false };
}
