import { asJson, type Fields, objectsAt, textAt } from '../json-fields.js';
import type { NamedMessage } from '../remote-kind.js';
import { contentText, either } from './ag-ui-fields.js';

/** What earlier runs have told since the user's last message. */
export interface ToldBefore {
  /** The texts of the assistant. */
  readonly texts: readonly string[];
  /** The ids of calls. */
  readonly calls: ReadonlySet<string>;
  /** The ids of all messages of earlier runs. */
  readonly ids: ReadonlySet<string>;
}

/** What may be new in a snapshot. */
export interface SnapshotMessage {
  readonly role: 'assistant' | 'tool';
  readonly id: string;
  /** Empty if it was told. */
  readonly content: string;
  /** Of the assistant. */
  readonly calls: readonly Fields[];
  /** Of a result. */
  readonly callId: string;
  readonly isError: boolean;
}

/** What is known of the conversation before. */
export function toldBefore(known: readonly NamedMessage[]): ToldBefore {
  const begins = known.findLastIndex(({ message }) => message.role === 'user') + 1;
  const said = known.slice(begins).flatMap(({ message }) => (message.role === 'assistant' ? [message] : []));
  return {
    texts: said.map(({ content }) => content),
    calls: new Set(said.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id))),
    ids: new Set(known.map(({ id }) => id)),
  };
}

/**
 * What a snapshot has behind the user's last message and may not have been told. Some servers give messages a new id in each
 * snapshot: their texts were told if they are the same. A message whose text was told may have calls that were not.
 *
 * @param isTold whether a message was told, by its id
 * @param isEarlier whether an earlier run has told it, with its calls
 * @param texts that were told
 */
export function snapshotNews(
  messages: readonly Fields[],
  {
    isTold,
    isEarlier,
    texts,
  }: {
    readonly isTold: (id: string) => boolean;
    readonly isEarlier: (id: string) => boolean;
    readonly texts: readonly string[];
  },
): readonly SnapshotMessage[] {
  const begins = messages.findLastIndex((message) => textAt(message, 'role') === 'user') + 1;
  const known = texts.map((text) => text.trim()).filter((text) => text !== '');
  return messages.slice(begins).flatMap((message): SnapshotMessage[] => {
    const [role, id] = [textAt(message, 'role'), textAt(message, 'id') ?? ''];
    const content = contentText(message['content']);
    const failure = asJson(message['error'] ?? null);
    const result = { callId: either(message, 'toolCallId') ?? '', isError: failure !== null && failure !== '' };
    if (role === 'tool') return [{ role, id, content, calls: [], ...result }];
    if (role !== 'assistant') return [];
    const at = known.indexOf(content.trim());
    if (at >= 0) known.splice(at, 1);
    if (isEarlier(id)) return [];
    const calls = objectsAt(message, 'toolCalls' in message ? 'toolCalls' : 'tool_calls');
    return [{ role, id, content: at >= 0 || isTold(id) ? '' : content, calls, ...result }];
  });
}
