import { isPlainObject } from '../../../../common/index.js';
import { argumentsText } from '../../../../tools/index.js';
import type { ModelMessage, ModelToolCall } from '../../../ports/model-client.js';
import type { WireRules } from '../profiles/wire-rules.js';
import { providerCallOf, type ProviderState } from '../provider-state.js';
import type { Body } from './body.js';
import { wireCallId } from './call-id.js';
import { keptState } from './kept-state.js';
import { orderedMessages } from './message-order.js';
import { writtenThoughts, type WrittenThoughts } from './thoughts.js';
import { userContent } from './user-content.js';

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

/** In the place of a result without words, for servers that refuse blank texts. */
const NO_OUTPUT = '(The tool returned nothing.)';
/** Asks Gemini not to check the signature of a call that has none. */
const UNCHECKED = { google: { thought_signature: 'skip_thought_signature_validator' } };

/** What the form of messages depends on beside themselves. */
export interface MessageForm {
  readonly rules: WireRules;
  /** Where requests go (see `originOf`): state of others is left out. */
  readonly origin: string;
}

/**
 * The messages of a conversation as a server takes them (contract model-servers, section 1.2).
 *
 * @throws AppError INVALID_PARAMETER for parts that the format cannot carry
 */
export function wireMessages(messages: readonly ModelMessage[], form: MessageForm): Body[] {
  const { rules } = form;
  const ordered = orderedMessages(messages, rules);
  const turns = rules.thoughtsOf === 'turn' || rules.thoughtsNeeded ? turnsOf(ordered) : undefined;
  return ordered.map((message, at) => {
    switch (message.role) {
      case 'system':
        return { role: 'system', content: message.content };
      case 'user':
        return { role: 'user', content: userContent(message.content, rules) };
      case 'assistant': {
        const wanted = rules.thoughtsOf === 'all' || turns?.[at]?.isLast === true;
        const needed = rules.thoughtsNeeded && turns?.[at]?.hasCalls === true;
        return assistantMessage(message, form, { wanted, needed });
      }
      case 'tool':
        return toolMessage(message, form);
    }
  });
}

/** The turn of a message: from a message of the user to the next one. */
interface Turn {
  hasCalls: boolean;
  isLast: boolean;
}

function turnsOf(messages: readonly ModelMessage[]): readonly Turn[] {
  let turn: Turn = { hasCalls: false, isLast: false };
  const turns = messages.map((message) => {
    if (message.role === 'user') turn = { hasCalls: false, isLast: false };
    if (message.role === 'assistant' && message.toolCalls.length > 0) turn.hasCalls = true;
    return turn;
  });
  turn.isLast = true;
  return turns;
}

function assistantMessage(
  message: Assistant,
  form: MessageForm,
  thoughts: { readonly wanted: boolean; readonly needed: boolean },
): Body {
  const { rules, origin } = form;
  const state = keptState(message, origin);
  // Most answers of a conversation.
  if (!state && !thoughts.needed && message.toolCalls.length === 0)
    return { role: 'assistant', content: message.content };
  const written = writtenThoughts(message, state, rules, thoughts);
  const { reasoning_content, reasoning, reasoning_text, reasoning_details, thinking_blocks } = written;
  const { toolCalls } = message;
  return {
    role: 'assistant',
    content: answerContent(message, written, rules),
    reasoning_content,
    reasoning,
    reasoning_text,
    reasoning_details,
    thinking_blocks,
    extra_content: rules.callExtras ? state?.extra : undefined,
    tool_calls: toolCalls.length === 0 ? undefined : wireCalls(toolCalls, state, form),
  };
}

/** Null only beside calls: several servers take it there only. */
function answerContent(
  { content, toolCalls }: Assistant,
  { prefix, parts }: WrittenThoughts,
  rules: WireRules,
): unknown {
  const isEmpty = content === '' || (!rules.blankTexts && content.trim() === '');
  if (parts) return isEmpty ? parts : [...parts, { type: 'text', text: content }];
  const text = `${prefix}${isEmpty ? '' : content}`;
  return text === '' && toolCalls.length > 0 && rules.nullContents ? null : text;
}

function wireCalls(calls: readonly ModelToolCall[], state: ProviderState | undefined, { rules }: MessageForm): Body[] {
  return calls.map(({ id, name, arguments: text }, place) => {
    const call = {
      id: wireCallId(id, rules.callIds),
      type: 'function',
      function: { name, arguments: validArguments(text) },
    };
    const extra = state && rules.callExtras ? providerCallOf(state, calls, place)?.extra : undefined;
    // Only the first call of a step has a signature.
    if (rules.skipSignatures && place === 0 && extra?.['extra_content'] === undefined) {
      return Object.assign(call, extra, { extra_content: UNCHECKED });
    }
    return extra ? Object.assign(call, extra) : call;
  });
}

function toolMessage({ callId, name, content }: Extract<ModelMessage, { role: 'tool' }>, form: MessageForm): Body {
  const { rules } = form;
  return {
    role: 'tool',
    tool_call_id: wireCallId(callId, rules.callIds),
    name: rules.resultNames ? name : undefined,
    content: !rules.blankTexts && content.trim() === '' ? NO_OUTPUT : content,
  };
}

/**
 * Valid arguments are sent as the model wrote them: parsing and printing them again would change large
 * numbers and miss the provider's prompt cache. Invalid ones are wrapped, because many providers refuse
 * a conversation that has invalid JSON in it.
 */
function validArguments(written: string): string {
  const text = argumentsText(written);
  try {
    if (isPlainObject(JSON.parse(text))) return text;
  } catch {
    // Wrapped below.
  }
  return JSON.stringify({ invalid_json: text });
}
