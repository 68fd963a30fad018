import { isPlainObject, type JsonObject } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import type { A2aMessage, Part, TaskIds, Version } from './a2a.types.js';
import { contentParts } from './content-parts.js';

/** The name of a version's wire. */
export const WIRE_NAMES = { '1.0': 'a2a', '0.3': 'a2a-0.3' } as const satisfies Record<Version, string>;

/** The key of what this wire keeps with a run. */
const KEY = 'a2a';

/** A part as it is kept: what is content of the session's message is there already. */
export type KeptPart = { readonly content: number; readonly about?: JsonObject } | { readonly part: JsonObject };

/** What is kept of a message with the run that it begins. */
export interface KeptMessage {
  readonly messageId: string;
  readonly parts: readonly KeptPart[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

/** What this wire keeps with a run. */
export interface A2aData {
  readonly message: KeptMessage;
  /** Of the content of the request: an equal one is a repetition. */
  readonly hash: string;
}

/** As the data of a run. */
export function toWireData(data: A2aData): JsonObject {
  return { [KEY]: data as unknown as JsonObject };
}

/** What this wire has kept with a run that it accepted; undefined for runs of other wires. */
export function a2aDataOf({ wireData }: Pick<RunView, 'wireData'>): A2aData | undefined {
  const data = wireData[KEY];
  return isPlainObject(data) ? (data as unknown as A2aData) : undefined;
}

/**
 * The messages that a run was accepted with, as the client has sent them; those of other wires as they are kept.
 *
 * @param input the run's messages, with addresses that whoever reads may use
 */
export function historyOf(run: RunView, ids: TaskIds, input: readonly Message[]): readonly A2aMessage[] {
  const kept = a2aDataOf(run)?.message;
  if (kept) {
    const { messageId, metadata, extensions, referenceTaskIds } = kept;
    const content = input.find(({ role }) => role === 'user')?.content ?? [];
    const parts = kept.parts.flatMap((one): readonly Part[] => {
      if ('part' in one) return [one.part as unknown as Part];
      const found = content[one.content];
      const shown = found && found.type === 'text' ? [{ text: found.text ?? '' }] : found ? contentParts(found) : [];
      return shown.map((part): Part => ({ ...part, ...one.about }));
    });
    return [
      {
        messageId,
        role: 'user',
        ...ids,
        parts: parts.length > 0 ? parts : [{ text: '' }],
        ...(metadata && { metadata }),
        ...(extensions && { extensions }),
        ...(referenceTaskIds && { referenceTaskIds }),
      },
    ];
  }
  return input.flatMap((message): readonly A2aMessage[] => {
    if (message.role !== 'user' || message.type !== 'message') return [];
    const parts = (message.content ?? []).flatMap(contentParts);
    return parts.length === 0 ? [] : [{ messageId: message.id, role: 'user', ...ids, parts }];
  });
}
