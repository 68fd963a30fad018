import { hash } from 'node:crypto';
import { isPlainObject, type Json } from '../../../../common/index.js';
import { argumentsText } from '../../../tools/index.js';
import type { ModelMessage, ModelToolCall } from '../../../ports/model-client.js';
import type { WireRules } from '../profiles/wire-rules.js';
import { type ProviderCall, providerCallOf, type ProviderState, providerStateIn } from '../provider-state.js';
import type { Body } from './body.js';
import { orderedMessages } from './message-order.js';
import { writtenThoughts, type WrittenThoughts } from './thoughts.js';
import { userContent } from './user-content.js';

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

/** The key of earlier versions. Their state had no origin. */
const FORMER_KEY = 'chat_completions';

/** What a server gave with an answer; undefined if it was another server, or gave nothing. */
function keptState(answer: Assistant, origin: string): ProviderState | undefined {
  const { replay } = answer;
  if (replay === undefined) return undefined;
  const state = providerStateIn(replay);
  if (state) return state.origin === origin ? state : undefined;
  return formerState(answer, replay[FORMER_KEY], origin);
}

/** The state of a conversation that has waited since before the server was updated. */
function formerState({ toolCalls }: Assistant, value: unknown, origin: string): ProviderState | undefined {
  if (!isPlainObject(value)) return undefined;
  const { reasoning_content: text, extra_content: extras } = value;
  const calls = toolCalls.flatMap(({ id }, place): [string, ProviderCall][] => {
    const extra = isPlainObject(extras) ? (extras[String(place)] as Json | undefined) : undefined;
    return extra === undefined ? [] : [[id, { place, extra: { extra_content: extra } }]];
  });
  return {
    origin,
    ...(typeof text === 'string' && { reasoning: { field: 'reasoning_content', text } }),
    calls: Object.fromEntries(calls),
  };
}

/** In the place of a result without words, for servers that refuse blank texts. */
const NO_OUTPUT = '(The tool returned nothing.)';
/** Asks Gemini not to check the signature of a call that has none. */
const UNCHECKED = { google: { thought_signature: 'skip_thought_signature_validator' } };

/** What the form of messages depends on besides themselves. */
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
        const needed = wanted && rules.thoughtsNeeded && turns?.[at]?.hasCalls === true;
        return assistantMessage(message, form, { wanted, needed });
      }
      case 'tool':
        return toolMessage(message, form);
    }
  });
}

/** The turn of a message: from a message of the user to the next one; images of results are none. */
interface Turn {
  hasCalls: boolean;
  isLast: boolean;
}

function turnsOf(messages: readonly ModelMessage[]): readonly Turn[] {
  let turn: Turn = { hasCalls: false, isLast: false };
  const turns = messages.map((message) => {
    if (message.role === 'user' && !message.isOfResults) turn = { hasCalls: false, isLast: false };
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

/** Null only next to calls: several servers take it there only. */
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

const SHORT = /^[a-zA-Z0-9_-]{1,40}$/;
const NINE = /^[a-zA-Z0-9]{9}$/;
const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** An id of a call as a server takes it: unchanged where it may be, else a hash, the same one in every request. */
function wireCallId(id: string, rule: WireRules['callIds']): string {
  if (rule === 'any' || (rule === 'short' ? SHORT : NINE).test(id)) return id;
  const digest = hash('sha256', id, 'buffer');
  if (rule === 'short') return `call_${digest.toString('hex').slice(0, 32)}`;
  return Array.from(digest.subarray(0, 9), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
