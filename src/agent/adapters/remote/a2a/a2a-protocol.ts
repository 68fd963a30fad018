import { AppError, isPlainObject, type JsonObject } from '../../../../common/index.js';
import type { ModelMessage, ModelPart } from '../../../ports/model-client.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { fieldsOf, objectAt } from '../json-fields.js';
import type { SseEvent } from '../remote-connection.js';
import { protocolFailure, RemoteFailure } from '../remote-failure.js';
import type { RemoteRequest } from '../remote-http.js';
import type { Ask, Opened, RemoteProtocol, RemoteReader, Turn } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import { type A2aCall, requestOf } from './a2a-calls.js';
import {
  type A2aInterface,
  type A2aVersion,
  cardAddresses,
  cardMs,
  credentialsIn,
  interfaceAt,
  interfaceOf,
  placeOf,
} from './a2a-card.js';
import { isUnsupported } from './a2a-frames.js';
import { contextIn, taskIn } from './a2a-handle.js';
import { A2aReader, type AnsweredExchange, AUTH_KEY } from './a2a-reader.js';

/** What a server of another version answers to a method: there is none, or the version is not spoken. */
const OTHER_VERSION: ReadonlySet<unknown> = new Set([-32601, -32009]);

/** What the card of an agent has said. */
interface KnownCard {
  /** In the version that the server has understood, if the card names another. */
  readonly at: A2aInterface;
  /** The credentials that it asks for, in words. */
  readonly credentials: string | undefined;
}

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
  private known: KnownCard | undefined;
  private until = 0;

  constructor(private readonly config: RemoteAgentConfig) {}

  /** True if the server takes a message with the same id once, and where no message is sent. */
  takesOnce(turn: Turn): boolean {
    return this.known?.at.isIdempotent === true || followedBy(turn) !== undefined;
  }

  /** Fetches the card of the agent if it is not known or old, and the exchange has not kept what it said. */
  async prepare(get: Ask, opened?: Opened): Promise<void> {
    if (interfaceAt(opened?.place, this.config)) return;
    if (this.known && performance.now() < this.until) return;
    const addresses = cardAddresses(this.config);
    for (const [index, url] of addresses.entries()) {
      try {
        let ms = 0;
        const request: RemoteRequest = { method: 'GET', url, headers: { 'a2a-version': '1.0' } };
        const card = await get(request, (header) => (ms = cardMs(header)));
        if (!isPlainObject(card)) throw protocolFailure('The card of the remote agent is no JSON object');
        const at = interfaceOf(card, this.config);
        this.known = { at, credentials: credentialsIn(card) };
        this.until = performance.now() + ms;
        return;
      } catch (error) {
        const isMissing = error instanceof RemoteFailure && error.answer?.status === 404;
        if (!isMissing || index === addresses.length - 1) throw error;
      }
    }
  }

  open(turn: Turn): RemoteRequest {
    return this.opening(turn, this.interface);
  }

  private opening(turn: Turn, at: A2aInterface): RemoteRequest {
    const followed = followedBy(turn);
    if (followed === undefined) return this.send(turn, at);
    const operation = at.hasStreaming ? 'subscribe' : 'get';
    return { ...requestOf(at, { operation, taskId: taskIn(followed), id: turn.id }), place: placeOf(at) };
  }

  private send(turn: Turn, at: A2aInterface): RemoteRequest {
    const { version, hasStreaming } = at;
    const message = { message: this.message(turn, version), configuration: configurationOf(version, hasStreaming) };
    const headers = { 'idempotency-key': turn.id };
    const call: A2aCall = { operation: hasStreaming ? 'stream' : 'send', id: turn.id, message, headers };
    return { ...requestOf(at, call), place: placeOf(at) };
  }

  /** Missing or wrong credentials: the error says what the card asks for. */
  refusal(failure: RemoteFailure): RemoteFailure {
    const { code, message } = failure.error;
    if (code !== 'UPSTREAM_UNAUTHORIZED' || this.known?.credentials === undefined) return failure;
    const sentence = `${message}. Its card asks for ${this.known.credentials}`;
    return new RemoteFailure('status', new AppError(code, sentence, { cause: failure }), failure.answer);
  }

  /** A question that has ended meanwhile: the task says how it goes on. */
  goesOn({ answer }: RemoteFailure, turn: Turn): string | undefined {
    const handle = answeredBy(turn)?.handle ?? '';
    return answer && taskIn(handle) !== '' && isUnsupported(answer.body) ? handle : undefined;
  }

  adapts(): boolean {
    return false;
  }

  /**
   * Cards lie about versions: a message to a server that has no such method is written once in the other version. If that is
   * understood it counts as long as the card does.
   */
  rewrites({ data }: SseEvent, { place }: RemoteRequest, turn: Turn): RemoteRequest | undefined {
    const { known } = this;
    const at = interfaceAt(place, this.config);
    if (!known || at?.binding !== 'JSONRPC' || this.config.protocol) return undefined;
    const fields = fieldsOf({ data });
    if (at.isGuess) {
      if (!fields['error']) this.known = { ...known, at: { ...known.at, version: at.version } };
      return undefined;
    }
    if (!OTHER_VERSION.has(objectAt(fields, 'error')['code'])) return undefined;
    return this.opening(turn, { ...at, version: at.version === '1.0' ? '0.3' : '1.0', isGuess: true });
  }

  reader(turn: Turn): RemoteReader {
    return new A2aReader(this.config.secrets, answeredBy(turn));
  }

  follow({ handle, place }: Opened, _: unknown, { id }: Turn): RemoteRequest | undefined {
    const at = interfaceAt(place, this.config) ?? this.interface;
    return at.hasStreaming ? requestOf(at, { operation: 'subscribe', taskId: taskIn(handle), id }) : undefined;
  }

  look({ handle, place }: Opened): ReturnType<NonNullable<RemoteProtocol['look']>> {
    const at = interfaceAt(place, this.config) ?? this.interface;
    const request = requestOf(at, { operation: 'get', taskId: taskIn(handle), id: 'look' });
    const read = (answer: unknown, reader: RemoteReader, writer: RemoteWriter): void => {
      reader.reconnected();
      reader.read({ name: '', data: JSON.stringify(answer) }, writer);
    };
    return { request, read };
  }

  stop({ handle, place }: Opened, { id }: Turn): RemoteRequest | undefined {
    const at = interfaceAt(place, this.config) ?? this.known?.at;
    if (taskIn(handle) === '' || !at) return undefined;
    return requestOf(at, { operation: 'cancel', taskId: taskIn(handle), id });
  }

  private get interface(): A2aInterface {
    if (!this.known) throw protocolFailure('The card of the remote agent is not known');
    return this.known.at;
  }

  private message(turn: Turn, version: A2aVersion): JsonObject {
    const { decisions, inputs, after, messages, news, id } = turn;
    const answered = answeredBy(turn);
    const handle = answered?.handle ?? after?.handle ?? '';
    const isAnswer = answered !== undefined;
    const parts = [
      ...decisions.map(({ requestId, approve, reason }) =>
        dataPart(version, {
          type: 'approval',
          id: requestId,
          approved: approve,
          ...(reason !== undefined && { reason }),
        }),
      ),
      ...inputs.map(({ key, value, isRefused }) => answerPart(version, key, value, isRefused)),
      ...(isAnswer ? [] : userParts(after ? messages : news.length > 0 ? news : messages, version)),
    ];
    return {
      messageId: uuidOf(id),
      parts: parts.length > 0 ? parts : [textPart(version, '')],
      ...(version === '1.0' ? { role: 'ROLE_USER' } : { role: 'user', kind: 'message' }),
      ...named('contextId', contextIn(handle)),
      ...named('taskId', isAnswer ? taskIn(handle) : ''),
    };
  }
}

/** The task of a turn that is only followed: its person has done elsewhere what it waited for. */
function followedBy(turn: Turn): string | undefined {
  return turn.inputs.some(({ key }) => key === AUTH_KEY) ? answeredBy(turn)?.handle : undefined;
}

/** The exchange whose questions a turn answers; undefined: it answers none. */
function answeredBy({ decisions, before }: Turn): AnsweredExchange | undefined {
  const [decided] = decisions;
  return decided ?? (before && { handle: textOf(before['handle']) ?? '', shown: before['shown'] });
}

/** An object with an id, unless there is none. */
function named(key: string, id: string): JsonObject {
  return id === '' ? {} : { [key]: id };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function configurationOf(version: string, hasStreaming: boolean): JsonObject {
  const modes = { acceptedOutputModes: ['text/plain', 'application/json'] };
  if (hasStreaming) return modes;
  return version === '1.0' ? { ...modes, returnImmediately: true } : { ...modes, blocking: false };
}

/** What the user has said. */
function userParts(messages: readonly ModelMessage[], version: string): JsonObject[] {
  return messages.flatMap((message) =>
    message.role === 'user' ? message.content.map((part) => partOf(part, version)) : [],
  );
}

function partOf(part: ModelPart, version: string): JsonObject {
  switch (part.type) {
    case 'text':
      return textPart(version, part.text);
    case 'image':
      return filePart(version, part.url, { type: part.mimeType, fallback: 'image/png' }, null);
    case 'audio':
      return filePart(version, `data:audio/${part.format};base64,${part.data}`, { fallback: 'audio/wav' }, null);
    case 'file':
      return filePart(version, part.data ?? part.url ?? '', { fallback: 'application/octet-stream' }, part.filename);
    default:
      return part;
  }
}

function textPart(version: string, text: string): JsonObject {
  return version === '1.0' ? { text } : { kind: 'text', text };
}

function dataPart(version: string, data: JsonObject): JsonObject {
  return version === '1.0' ? { data } : { kind: 'data', data };
}

/** @param type where it is known; @param fallback the type of bytes that do not name theirs */
function filePart(
  version: string,
  address: string,
  { type, fallback }: { readonly type?: string | undefined; readonly fallback: string },
  filename: string | null,
): JsonObject {
  const [, mimeType = fallback, bytes] = /^data:([^;,]+)?;base64,(.*)$/s.exec(address) ?? [];
  const isAddress = bytes === undefined && /^https?:/.test(address);
  if (version === '1.0') {
    const mediaType = isAddress ? type : mimeType;
    const facts: JsonObject = { ...(mediaType !== undefined && { mediaType }), ...(filename !== null && { filename }) };
    return isAddress ? { url: address, ...facts } : { raw: bytes ?? address, ...facts };
  }
  const known = isAddress ? type : mimeType;
  const facts: JsonObject = {
    ...(known !== undefined && { mimeType: known }),
    ...(filename !== null && { name: filename }),
  };
  return { kind: 'file', file: isAddress ? { uri: address, ...facts } : { bytes: bytes ?? address, ...facts } };
}

/** The answer to a question: of another Parley by its id, of any other server as text or data. */
function answerPart(version: string, key: string, value: unknown, isRefused: boolean): JsonObject {
  const [, id] = /^id:(.*)$/s.exec(key) ?? [];
  if (isRefused) return id === undefined ? textPart(version, 'No answer.') : dataPart(version, { type: 'cancel', id });
  if (id !== undefined) return dataPart(version, { type: 'input', id, value: value as JsonObject });
  return typeof value === 'string' ? textPart(version, value) : dataPart(version, { value: value as JsonObject });
}

/** An id of 32 hexadecimal digits in the form of a UUID. */
function uuidOf(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
