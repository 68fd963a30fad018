import { isPlainObject, type JsonObject } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { ModelMessage, ModelToolCall } from '../ports/model-client.js';
import { partsOf, readableText } from './message-parts.js';
import { callsOf, isCall, isCallOutput, outputsOf, replayOf } from './tool-traffic.js';

/** What a model is told of a call that nobody answered: a provider must never see an open call. */
export const NO_RESULT = 'No result: the call was cancelled by the user.';

interface OpenCall extends ModelToolCall {
  output: string | undefined;
}

/** Text and calls of the assistant that belong into one model message, and the answers to the calls. */
class AssistantTurn {
  readonly texts: string[] = [];
  readonly calls: OpenCall[] = [];
  replay: JsonObject | undefined;
  isAnswered = false;

  toModelMessages(): ModelMessage[] {
    const content = this.texts.join('\n');
    if (content === '' && this.calls.length === 0) return [];
    return [
      {
        role: 'assistant',
        content,
        toolCalls: this.calls.map(toolCall),
        ...(this.replay && { replay: this.replay }),
      },
      ...this.calls.map(({ id, name, output }): ModelMessage => ({
        role: 'tool',
        callId: id,
        name,
        content: output ?? NO_RESULT,
      })),
    ];
  }
}

/**
 * The conversation as a model client takes it. Each call is followed by its output, wherever the
 * output stands in the messages; outputs of no known call, reasoning, and cut messages without text
 * are left out.
 *
 * @param systemPrompt comes first; an empty one is left out
 */
export function toModelMessages(systemPrompt: string, messages: readonly Message[]): ModelMessage[] {
  const turns: (AssistantTurn | ModelMessage)[] = [];
  const openCalls = new Map<string, { call: OpenCall; turn: AssistantTurn }>();
  if (systemPrompt !== '') turns.push({ role: 'system', content: systemPrompt });
  for (const message of messages) {
    if (isLeftOut(message)) continue;
    if (isCallOutput(message)) answer(message, openCalls);
    else if (isCall(message)) {
      const turn = assistantTurn(turns);
      turn.replay = replayOf(message) ?? turn.replay;
      for (const made of callsOf(message)) {
        const call: OpenCall = { ...made, output: undefined };
        turn.calls.push(call);
        openCalls.set(call.id, { call, turn });
      }
    } else if (message.role === 'assistant') assistantTurn(turns).texts.push(readableText(message));
    else turns.push(...plainMessage(message));
  }
  return turns.flatMap((turn) => (turn instanceof AssistantTurn ? turn.toModelMessages() : [turn]));
}

/** The turn that the assistant's next text or call belongs to: a new one after an answer or another's words. */
function assistantTurn(turns: (AssistantTurn | ModelMessage)[]): AssistantTurn {
  const last = turns.at(-1);
  if (last instanceof AssistantTurn && !last.isAnswered) return last;
  const turn = new AssistantTurn();
  turns.push(turn);
  return turn;
}

/** The first output of a call counts; ids that return later in a session name the newest call. */
function answer(message: Message, openCalls: Map<string, { call: OpenCall; turn: AssistantTurn }>): void {
  for (const { callId, output } of outputsOf(message)) {
    const open = openCalls.get(callId);
    if (!open || open.call.output !== undefined) continue;
    open.call.output = output;
    open.turn.isAnswered = true;
  }
}

function plainMessage(message: Message): ModelMessage[] {
  if (message.role === 'system') {
    const content = readableText(message);
    return content === '' ? [] : [{ role: 'system', content }];
  }
  if (message.role === 'tool') return [];
  const parts = partsOf(message);
  return parts.length === 0 ? [] : [{ role: 'user', content: parts }];
}

function isLeftOut(message: Message): boolean {
  const isTraffic = isCall(message) || isCallOutput(message);
  if (!isTraffic && message.type !== 'message' && message.type !== 'a2ui_action') return true;
  const isCut = message.status === 'failed' || message.status === 'incomplete' || message.status === 'canceled';
  return isCut && (isTraffic || readableText(message) === '');
}

/** A call for a provider; some refuse a conversation with arguments that are no JSON object. */
export function toolCall({ id, name, arguments: text }: ModelToolCall): ModelToolCall {
  return { id, name, arguments: isJsonObject(text) ? text : '{}' };
}

function isJsonObject(text: string): boolean {
  try {
    return isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}
