import type { ModelMessage } from '../../../ports/model-client.js';
import type { WireRules } from '../profiles/wire-rules.js';

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;
type User = Extract<ModelMessage, { role: 'user' }>;

/** Messages that stand where a template wants one and the conversation has none. */
const CONTINUE = 'Continue.';
const NOTED = 'Noted.';

/**
 * The conversation in the order that the templates of a server accept (contract model-servers, sections 1.2 and 4.1).
 * Where they accept every order, it is the same list.
 */
export function orderedMessages(messages: readonly ModelMessage[], rules: WireRules): readonly ModelMessage[] {
  let ordered = messages;
  if (!rules.tools) ordered = ordered.map(toldInWords);
  if (rules.system !== 'any') ordered = withOneSystemMessage(ordered, rules.system);
  if (rules.bridge) ordered = bridged(ordered);
  if (rules.alternate) ordered = alternating(ordered);
  if (rules.endsWithUser && ordered.at(-1)?.role === 'assistant') ordered = [...ordered, userText(CONTINUE)];
  if (rules.callsPerMessage === 'one') ordered = withSingleCalls(ordered);
  return ordered;
}

function userText(text: string): User {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function assistantText(content: string): Assistant {
  return { role: 'assistant', content, toolCalls: [] };
}

/** Calls and results as texts, for models that cannot call. */
function toldInWords(message: ModelMessage): ModelMessage {
  if (message.role === 'tool') return userText(`[The result of ${message.name}: ${message.content}]`);
  if (message.role !== 'assistant' || message.toolCalls.length === 0) return message;
  const calls = message.toolCalls.map(({ name, arguments: text }) => `[I called ${name} with ${text || '{}'}.]`);
  return assistantText([message.content, ...calls].filter((text) => text !== '').join('\n'));
}

/** The system texts of the beginning become one message, later ones messages of the user. */
function withOneSystemMessage(messages: readonly ModelMessage[], system: 'first' | 'user'): readonly ModelMessage[] {
  const begin = messages.findIndex(({ role }) => role !== 'system');
  const count = begin < 0 ? messages.length : begin;
  const text = messages
    .slice(0, count)
    .flatMap((message) => (message.role === 'system' ? [message.content] : []))
    .join('\n\n');
  const rest = messages.slice(count).map((message) => (message.role === 'system' ? marked(message.content) : message));
  if (text === '') return rest;
  if (system === 'first') return [{ role: 'system', content: text }, ...rest];
  const [next, ...others] = rest;
  if (next?.role !== 'user') return [userText(text), ...rest];
  return [{ role: 'user', content: [{ type: 'text', text: `${text}\n\n` }, ...next.content] }, ...others];
}

function marked(text: string): User {
  return userText(`Instruction of the application:\n${text}`);
}

/** A short answer between each result and a message of the user. */
function bridged(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.flatMap((message, at) =>
    message.role === 'user' && messages[at - 1]?.role === 'tool' ? [assistantText(NOTED), message] : [message],
  );
}

/**
 * User and assistant in turn, the user first; calls and their results are looked through. Neighbors of one role become
 * one message.
 */
function alternating(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const ordered: ModelMessage[] = [];
  let isUsersTurn = true;
  for (const message of messages) {
    const isAnswer = message.role === 'assistant' && message.toolCalls.length === 0;
    const last = ordered.at(-1);
    const joined = last && joinedWith(last, message);
    if (joined) {
      ordered[ordered.length - 1] = joined;
      // An answer that goes on with calls is looked through, as they are.
      if (message.role === 'assistant' && message.toolCalls.length > 0) isUsersTurn = false;
      continue;
    }
    if (message.role === 'user' && !isUsersTurn) ordered.push(assistantText(NOTED));
    if (message.role === 'assistant' && isUsersTurn) ordered.push(userText(CONTINUE));
    ordered.push(message);
    if (message.role === 'user') isUsersTurn = false;
    else if (isAnswer) isUsersTurn = true;
    else if (message.role === 'assistant') isUsersTurn = false;
  }
  return ordered;
}

/** Two neighbors as one message; undefined if they stay apart. */
function joinedWith(first: ModelMessage, second: ModelMessage): ModelMessage | undefined {
  if (first.role === 'user' && second.role === 'user') {
    return { role: 'user', content: [...first.content, ...second.content] };
  }
  if (first.role !== 'assistant' || second.role !== 'assistant' || first.toolCalls.length > 0) return undefined;
  const content = [first.content, second.content].filter((text) => text !== '').join('\n\n');
  const replay = second.replay ?? first.replay;
  return { role: 'assistant', content, toolCalls: second.toolCalls, ...(replay && { replay }) };
}

/** Each call in a message of its own, followed by its result. */
function withSingleCalls(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.flatMap((message, at) => {
    if (message.role === 'tool') return isResultOfSeveral(messages, at) ? [] : [message];
    if (message.role !== 'assistant' || message.toolCalls.length < 2) return [message];
    const { content, replay } = message;
    const results = resultsAfter(messages, at);
    return message.toolCalls.flatMap((call, place): ModelMessage[] => [
      { role: 'assistant', content: place === 0 ? content : '', toolCalls: [call], ...(replay && { replay }) },
      ...results.filter(({ callId }) => callId === call.id),
    ]);
  });
}

function resultsAfter(messages: readonly ModelMessage[], at: number): Extract<ModelMessage, { role: 'tool' }>[] {
  const results: Extract<ModelMessage, { role: 'tool' }>[] = [];
  for (let next = at + 1; next < messages.length; next += 1) {
    const message = messages[next];
    if (message?.role !== 'tool') break;
    results.push(message);
  }
  return results;
}

/** True for the result of a call that was moved to it. */
function isResultOfSeveral(messages: readonly ModelMessage[], at: number): boolean {
  let before = at - 1;
  while (messages[before]?.role === 'tool') before -= 1;
  const calls = messages[before];
  return calls?.role === 'assistant' && calls.toolCalls.length > 1;
}
