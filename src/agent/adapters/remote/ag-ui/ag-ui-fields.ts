import { fingerprint } from '../../../../common/index.js';
import type { Usage } from '../../../../events/index.js';
import { asText, type Fields, objectsAt, pieceAt, textAt, tokensAt, usageAt } from '../json-fields.js';

/** A member by its name, or by the same in snake case. */
export function either(fields: Fields, name: string): string | undefined {
  return (
    textAt(fields, name) ??
    textAt(
      fields,
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    )
  );
}

/** The id of the call that an event is about. */
export function callIdIn(fields: Fields): string {
  return either(fields, 'toolCallId') ?? '';
}

/** The piece of a text or of arguments that an event brings. */
export function deltaIn(fields: Fields): string {
  return pieceAt(fields, 'delta') ?? '';
}

/** The subagent that an event comes from. */
export function ownerOf(fields: Fields): { readonly subagent_id?: string } {
  return optional('subagent_id', either(fields, 'subagentRunId'));
}

/** An object with a member, unless it has no value. */
export function optional<Name extends string>(
  name: Name,
  value: string | undefined,
): { readonly [Key in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: string };
}

/** What tells activities apart. */
export function activityOf(fields: Fields): { readonly id: string; readonly activity_type: string } {
  return { id: either(fields, 'messageId') ?? '', activity_type: either(fields, 'activityType') ?? '' };
}

/** The text of a content: parts are joined. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return objectsAt({ content }, 'content')
    .map((part) => textAt(part, 'text') ?? '')
    .join('');
}

/** The usage of one model; undefined if it is not whole. */
export function usageIn(usage: Fields): Usage | undefined {
  const [reasoning, cached] = [tokensAt(usage, 'reasoningTokens'), tokensAt(usage, 'cachedInputTokens')];
  const names = { input: 'inputTokens', output: 'outputTokens', total: 'totalTokens' };
  return usageAt(usage, names, { reasoning, cached });
}

/** What tells two streams apart by their first event. */
export function firstOf(fields: Fields): string {
  return fingerprint([textAt(fields, 'type'), either(fields, 'runId')]);
}
