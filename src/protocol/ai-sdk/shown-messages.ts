import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';
import { CALL_TYPES, dataOf, type Message, OUTPUT_TYPES } from '../../events/index.js';
import { uiMetadataOf } from './ai-sdk-data.js';
import type { UiMessage, UiPart } from './chunk.types.js';
import { clientJson } from './client-json.js';
import { mediumOf } from './media-parts.js';

/** A message while its parts are collected. */
interface Growing {
  readonly id: string;
  readonly role: UiMessage['role'];
  readonly metadata?: Json;
  readonly parts: UiPart[];
}

/**
 * Stored messages as pages show them: what users say, and what was imported or added outside of runs. Consecutive ones
 * of one message of a client become that message again.
 *
 * @param messages with addresses for whoever reads them
 */
export function shownMessages(messages: readonly Message[]): readonly UiMessage[] {
  const shown: Growing[] = [];
  for (const message of messages) {
    const last = shown.at(-1);
    const own = uiMetadataOf(message.metadata);
    const id = typeof own?.['of'] === 'string' ? own['of'] : message.id;
    if (OUTPUT_TYPES.includes(message.type)) addOutput(shown, message);
    else if (CALL_TYPES.includes(message.type)) addTo(shown, last, id, callPart(message, own));
    else if (message.type === 'message' || message.type === 'reasoning') {
      const parts = partsOf(message, own);
      if (message.role === 'assistant') for (const part of parts) addTo(shown, shown.at(-1), id, part);
      else if (parts.length > 0) shown.push(opened(message, id, own, parts));
    }
  }
  return shown;
}

function opened(message: Message, id: string, own: JsonObject | undefined, parts: UiPart[]): Growing {
  const role = message.role === 'system' ? 'system' : 'user';
  const metadata = own?.['metadata'];
  return { id, role, ...(metadata !== undefined && metadata !== null && { metadata }), parts };
}

/** What the assistant says in several messages is one message for a page. */
function addTo(shown: Growing[], last: Growing | undefined, id: string, part: UiPart): void {
  if (last?.role === 'assistant') last.parts.push(part);
  else shown.push({ id, role: 'assistant', parts: [part] });
}

function addOutput(shown: readonly Growing[], message: Message): void {
  const data = dataOf(message) ?? {};
  const parts = shown.findLast(({ role }) => role === 'assistant')?.parts;
  const at = parts?.findLastIndex((part) => part['toolCallId'] === data['call_id']) ?? -1;
  const call = parts?.[at];
  if (!parts || !call) return;
  const text = typeof data['output'] === 'string' ? data['output'] : JSON.stringify(data['output'] ?? '');
  parts[at] =
    message.metadata?.['is_error'] === true
      ? { ...call, state: 'output-error', errorText: text }
      : { ...call, state: 'output-available', output: clientJson(text) ?? text };
}

function callPart(message: Message, own: JsonObject | undefined): UiPart {
  const { call_id: toolCallId = '', name = '', arguments: text = '' } = dataOf(message) ?? {};
  const given = typeof own?.['type'] === 'string' ? own['type'] : 'dynamic-tool';
  const input = typeof text === 'string' ? (clientJson(text) ?? text) : text;
  const part = { type: given, toolCallId, state: 'input-available', input };
  return given === 'dynamic-tool' ? { ...part, toolName: name } : part;
}

/** The parts of a message in its order; those that only the page understands are where they were. */
function partsOf(message: Message, own: JsonObject | undefined): UiPart[] {
  const isAssistants = message.role === 'assistant';
  const parts = (message.content ?? []).flatMap((content): UiPart[] => {
    if (content.type === 'text' || content.type === 'refusal') {
      const text = (content.type === 'text' ? content.text : content.refusal) ?? '';
      const type = message.type === 'reasoning' ? 'reasoning' : 'text';
      return text === '' ? [] : [{ type, text, ...(isAssistants && { state: 'done' }) }];
    }
    const found = mediumOf(content);
    return found ? [{ type: 'file', ...found }] : [];
  });
  const kept = own?.['parts'];
  if (!Array.isArray(kept)) return parts;
  for (const one of kept) {
    if (!isPlainObject(one)) continue;
    const { at, ...part } = one;
    parts.splice(typeof at === 'number' ? at : parts.length, 0, part as unknown as UiPart);
  }
  return parts;
}
