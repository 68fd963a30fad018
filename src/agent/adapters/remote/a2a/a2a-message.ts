import type { JsonObject } from '../../../../common/index.js';
import type { ModelMessage, ModelPart } from '../../../ports/model-client.js';
import type { Turn } from '../remote-kind.js';
import type { A2aVersion } from './a2a-card.js';
import { contextIn, taskIn } from './a2a-handle.js';
import { AUTH_KEY } from './a2a-questions.js';
import type { AnsweredExchange } from './a2a-reader.js';

/** The message of a turn: what the user said since the last exchange, or answers to the questions of a task. */
export function messageOf(turn: Turn, version: A2aVersion): JsonObject {
  const { decisions, inputs, after, isBranch, messages, news, id } = turn;
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
    ...(isAnswer ? [] : userParts(after || isBranch || news.length === 0 ? messages : news, version)),
  ];
  return {
    messageId: uuidOf(id),
    parts: parts.length > 0 ? parts : [textPart(version, '')],
    ...(version === '1.0' ? { role: 'ROLE_USER' } : { role: 'user', kind: 'message' }),
    ...named('contextId', contextIn(handle)),
    ...named('taskId', isAnswer ? taskIn(handle) : ''),
  };
}

/** The task of a turn that is only followed: its person has done elsewhere what it waited for. */
export function followedBy(turn: Turn): string | undefined {
  return turn.inputs.some(({ key }) => key === AUTH_KEY) ? answeredBy(turn)?.handle : undefined;
}

/** The exchange whose questions a turn answers; undefined: it answers none. */
export function answeredBy({ decisions, before }: Turn): AnsweredExchange | undefined {
  const [decided] = decisions;
  return decided ?? (before && { handle: textOf(before['handle']) ?? '', shown: before['shown'] });
}

/** Whether a turn answers the questions of a task. */
export function answersTask(turn: Turn): boolean {
  return taskIn(answeredBy(turn)?.handle ?? '') !== '';
}

/** An object with an id, unless there is none. */
function named(key: string, id: string): JsonObject {
  return id === '' ? {} : { [key]: id };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
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
