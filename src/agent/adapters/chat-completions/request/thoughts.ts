import { isPlainObject, type Json } from '../../../../common/index.js';
import type { ModelMessage } from '../../../ports/model-client.js';
import type { WireRules } from '../profiles/wire-rules.js';
import type { ProviderState } from '../provider-state.js';

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

/** The members of an answer that carry its thoughts, as the server wants them back. Absent ones are undefined. */
export interface WrittenThoughts {
  /** Stands before the text of the answer; empty for none. */
  readonly prefix: string;
  /** Parts before the text; undefined if the content is a text. */
  readonly parts: readonly Json[] | undefined;
  readonly reasoning_content: string | undefined;
  readonly reasoning: string | undefined;
  readonly reasoning_text: string | undefined;
  readonly reasoning_details: readonly Json[] | undefined;
  readonly thinking_blocks: readonly Json[] | undefined;
}

const NONE: WrittenThoughts = {
  prefix: '',
  parts: undefined,
  reasoning_content: undefined,
  reasoning: undefined,
  reasoning_text: undefined,
  reasoning_details: undefined,
  thinking_blocks: undefined,
};

/**
 * The thoughts of an answer (contract model-servers, section 2.1).
 *
 * @param state what the server gave; undefined for nothing
 * @param wanted false for an answer whose thoughts the server does not want back
 * @param needed true for an answer that must have some
 */
export function writtenThoughts(
  { content, toolCalls }: Assistant,
  state: ProviderState | undefined,
  rules: WireRules,
  { wanted, needed }: { readonly wanted: boolean; readonly needed: boolean },
): WrittenThoughts {
  const isHeld = state === undefined || !wanted;
  const isCrowded = !rules.thoughtsWithText && toolCalls.length > 0 && content !== '';
  if (isHeld || isCrowded) return needed && !isCrowded ? inMember('', rules.thoughts, 'reasoning_content') : NONE;
  const { reasoning } = state;
  const details = rules.details ? state.details : undefined;
  const blocks = rules.thinkingBlocks ? state.thinkingBlocks : undefined;
  // The details contain the text.
  const isTold = details !== undefined && !rules.thoughtsNeeded;
  const told = reasoning && !isTold ? inForm(reasoning, rules) : NONE;
  const isMissing = needed && told.reasoning_content === undefined && told.reasoning === undefined;
  const {
    prefix,
    parts,
    reasoning_content,
    reasoning: text,
    reasoning_text,
  } = isMissing ? inMember('', rules.thoughts, 'reasoning_content') : told;
  return {
    prefix,
    parts,
    reasoning_content,
    reasoning: text,
    reasoning_text,
    reasoning_details: details,
    thinking_blocks: blocks,
  };
}

function inForm({ field, text, parts }: NonNullable<ProviderState['reasoning']>, rules: WireRules): WrittenThoughts {
  if (field === 'tags') return rules.thoughtTags ? inTags(text, parts) : NONE;
  if (field === 'content-parts') {
    const thinking = parts?.filter((part) => isPlainObject(part) && part['type'] !== 'text');
    return rules.thoughtParts && thinking?.length ? Object.assign({}, NONE, { parts: thinking }) : NONE;
  }
  return inMember(text, rules.thoughts, field);
}

/** As they came, with their tags and blanks, where that is known. */
function inTags(text: string, parts: readonly Json[] | undefined): WrittenThoughts {
  const [block] = parts ?? [];
  return Object.assign({}, NONE, { prefix: typeof block === 'string' ? block : `<think>\n${text}\n</think>\n\n` });
}

function inMember(text: string, rule: WireRules['thoughts'], field: string): WrittenThoughts {
  if (rule === 'never') return NONE;
  return Object.assign({}, NONE, { [rule === 'same' ? memberOf(field) : rule]: text });
}

function memberOf(field: string): 'reasoning_content' | 'reasoning' | 'reasoning_text' {
  return field === 'reasoning' || field === 'reasoning_text' ? field : 'reasoning_content';
}
