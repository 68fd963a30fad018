import { jsonFrames } from './sse.js';
import type { TestServer } from './server.js';
import type { PageMessage, Part } from './ui-chat.js';

/** An answer of the AI SDK's wire. */
export interface ChatAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Without comments. */
  readonly text: string;
  /** Those of a stream. */
  readonly chunks: readonly Record<string, unknown>[];
}

/** A message of a user. */
export const userSays = (id: string, words: string) => ({ id, role: 'user', parts: [{ type: 'text', text: words }] });
/** A message of an assistant. */
export const assistantSays = (id: string, ...parts: object[]) => ({ id, role: 'assistant', parts });
/** The texts of a message. */
export const wordsOf = ({ parts }: PageMessage): string =>
  parts.map((part) => (part.type === 'text' ? part['text'] : '')).join('');

/** Sends a request to the wire of the AI SDK: with a body it is posted. */
export async function chatRequest(
  { url }: Pick<TestServer, 'url'>,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ChatAnswer> {
  const answered = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = (await answered.text()).replaceAll(/^: .*\n\n/gm, '');
  const isStream = answered.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return { status: answered.status, headers: answered.headers, text, chunks: isStream ? jsonFrames(text) : [] };
}

/** The messages of a chat. @param query with its question mark */
export async function chatMessages(
  { url }: Pick<TestServer, 'url'>,
  id: string,
  query = '',
): Promise<{ messages: PageMessage[]; activeRunId: string | null }> {
  const answered = await fetch(`${url}/ai-sdk/${id}/messages${query}`);
  return (await answered.json()) as { messages: PageMessage[]; activeRunId: string | null };
}

/**
 * What the server and a client both have of messages: clients keep keys without a value.
 *
 * @param client the first version of the SDK forgets who makes a call
 */
export function comparableMessages(messages: readonly PageMessage[], client = ''): unknown {
  const without = client === 'ai5-first' ? ['providerExecuted'] : [];
  return messages.map(({ id, role, metadata, parts }) => ({
    id,
    role,
    metadata,
    parts: parts.map((part) => Object.fromEntries(Object.entries(part).filter(isCompared(part, without)))),
  }));
}

function isCompared(part: Part, without: readonly string[]): (entry: [string, unknown]) => boolean {
  return ([key, value]) => {
    if (value === undefined || key === 'rawInput' || without.includes(key)) return false;
    // Newer clients keep the id of reasoning.
    return !(part.type === 'reasoning' && key === 'id');
  };
}
