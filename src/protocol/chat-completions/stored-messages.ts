import { fingerprint } from '../../common/index.js';
import type { Content, Message } from '../../events/index.js';
import { partText } from '../openai/index.js';
import type { CompletionCall } from './completion.types.js';
import { ADDED, SPEAKER } from './message.decoder.js';
import { callDataOf } from './told-calls.js';

/** A part of a message that is not just one text. */
export type StoredPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

/** A message of the request of a stored completion (contract chat-completions, section A1). */
export interface StoredMessage {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Null if there is no text. */
  readonly content: string | null;
  /** Null for a message of one text. */
  readonly content_parts: readonly StoredPart[] | null;
  readonly refusal: string | null;
  /** Who speaks, if the request names it. */
  readonly name: string | null;
  readonly tool_calls?: readonly CompletionCall[];
  /** Only of results. */
  readonly tool_call_id?: string;
}

/**
 * The messages of a request as they are stored.
 *
 * @param instructions the system messages that the request begins with
 * @param input the messages that its run was given
 */
export function storedMessages(
  runId: string,
  instructions: readonly string[],
  input: readonly Message[],
): readonly StoredMessage[] {
  const system = instructions.map((text, at) =>
    message(`msg_${fingerprint([runId, at, text]).slice(0, 32)}`, 'system', [textPart(text)], null),
  );
  const messages: StoredMessage[] = [...system];
  for (const one of input.filter(({ metadata }) => metadata?.[ADDED] !== true)) {
    const last = messages.at(-1);
    if (one.type !== 'function_call') messages.push(storedMessage(one));
    else if (last?.role === 'assistant' && isCallOf(one, last)) {
      messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), callOf(one)] };
    } else messages.push({ ...message(ownerId(one), 'assistant', [], null), tool_calls: [callOf(one)] });
  }
  return messages;
}

function storedMessage(one: Message): StoredMessage {
  if (one.type === 'function_call_output') {
    const { callId, output } = callDataOf(one);
    return { ...message(one.id, 'tool', [textPart(output)], null), tool_call_id: callId };
  }
  const contents = one.content ?? [];
  const refusals = contents.flatMap((part) => (part.type === 'refusal' ? [part.refusal ?? ''] : []));
  const parts = contents.filter(({ type }) => type !== 'refusal').map(partOf);
  const role = one.role === 'system' || one.role === 'assistant' ? one.role : 'user';
  const name = one.metadata?.[SPEAKER];
  const stored = message(one.id, role, parts, refusals.length > 0 ? refusals.join('') : null);
  return typeof name === 'string' ? { ...stored, name } : stored;
}

function message(
  id: string,
  role: StoredMessage['role'],
  parts: readonly StoredPart[],
  refusal: string | null,
): StoredMessage {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const content = texts.length > 0 ? texts.join('\n') : null;
  const isPlain = parts.length === texts.length && parts.length <= 1;
  return { id, role, content, content_parts: isPlain ? null : parts, refusal, name: null };
}

/** Parts of types that the protocol does not store are shown as text. */
function partOf(content: Content): StoredPart {
  if (content.type === 'image') return { type: 'image_url', image_url: { url: content.image_url ?? '' } };
  return textPart(content.type === 'text' ? (content.text ?? '') : partText(content));
}

function textPart(text: string): StoredPart {
  return { type: 'text', text };
}

function callOf(call: Message): CompletionCall {
  const { callId, name, arguments: args } = callDataOf(call);
  return { id: callId, type: 'function', function: { name, arguments: args } };
}

/** The calls of a message have its id and a number. */
function ownerId({ id }: Message): string {
  return id.replace(/_\d+$/, '');
}

function isCallOf(call: Message, { id }: StoredMessage): boolean {
  return ownerId(call) === id;
}
