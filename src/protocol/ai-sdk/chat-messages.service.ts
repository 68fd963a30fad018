import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { isPlainObject, type Json, type JsonObject, type Principal } from '../../common/index.js';
import { CALL_TYPES, dataOf, type Message, OUTPUT_TYPES } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { ActiveTurns } from './active-turns.js';
import type { Level, UiMessage, UiPart } from './chunk.types.js';
import { TurnMessages } from './turn-messages.js';
import { Turns } from './turns.js';
import { shownOutput, uiMetadataOf } from './ai-sdk-data.js';
import { clientJson } from './client-json.js';
import { mediumOf } from './media-parts.js';

/** Messages outside of runs that are read at once. */
const PAGE = 500;

/** The messages of a chat, oldest first. */
export interface ChatMessages {
  readonly messages: readonly UiMessage[];
  /** The run whose answer the chat's stream brings, and that is not among the messages; null if there is none. */
  readonly activeRunId: string | null;
}

/** Which messages of a chat to read. */
export interface ChatMessagesQuery {
  readonly limit: number;
  /** Only messages before that with this id. */
  readonly before: string | undefined;
  readonly level: Level | undefined;
}

/** The turns of chats, as pages load them (contract ui-message-stream, sections B1 and B2). */
@Injectable()
export class ChatMessagesService {
  constructor(
    private readonly sessions: Sessions,
    private readonly attachments: MessageAttachments,
    private readonly turns: Turns,
    private readonly actives: ActiveTurns,
    private readonly answers: TurnMessages,
  ) {}

  /** As `ActiveTurns.of`. */
  active(principal: Principal, chatId: string): Promise<readonly RunView[] | undefined> {
    return this.actives.of(principal, chatId);
  }

  /** Newest messages; empty for an unknown chat. */
  async messages(principal: Principal, chatId: string, query: ChatMessagesQuery): Promise<ChatMessages> {
    const { limit, before, level } = query;
    const found: UiMessage[] = [];
    let activeRunId: string | null = null;
    let isNewest = true;
    let isBefore = before === undefined;
    let outside: Outside | undefined;
    for await (const turn of this.turns.all(principal, chatId)) {
      const [first, last] = [turn[0], turn.at(-1)];
      if (!first || !last) continue;
      const isActive = isNewest && this.actives.isActive(last);
      if (isActive) activeRunId = last.runId;
      outside ??= await this.outside(principal, chatId);
      const answerId = this.turns.answerId(turn);
      const input = await this.turns.input(first);
      const later = outside.takeFrom(first.ordinal + 1);
      const asked = shownMessages(this.attachments.shown(input, principal));
      const isPast = isBefore;
      // The answer, which is expensive, is only made if it is wanted.
      const answer =
        !isActive && (isPast || [...asked, ...later].some(({ id }) => id === before))
          ? await this.answers.answer(turn, { level, isNewest })
          : undefined;
      const shown = [...asked, ...(answer ? [answer] : []), ...later];
      isNewest = false;
      const at = isPast ? shown.length : shown.findIndex(({ id }) => id === before);
      const isHere = at >= 0 || answerId === before;
      if (isHere) found.unshift(...(at >= 0 ? shown.slice(0, at) : asked));
      isBefore ||= isHere;
      if (found.length >= limit) return { messages: found.slice(-limit), activeRunId };
    }
    outside ??= await this.outside(principal, chatId);
    const rest = outside.takeFrom(0);
    const at = isBefore ? rest.length : rest.findIndex(({ id }) => id === before);
    found.unshift(...rest.slice(0, Math.max(0, at)));
    return { messages: found.slice(-limit), activeRunId };
  }

  /** The messages that were added outside of runs, such as those of a fork, which are rare. */
  private async outside(principal: Principal, chatId: string): Promise<Outside> {
    const found: { readonly ordinal: number; readonly message: Message }[] = [];
    for (let before: number | undefined; ;) {
      const page = await this.sessions.messages(principal, chatId, {
        limit: PAGE,
        order: 'desc',
        ...(before !== undefined && { before }),
      });
      for (const { runId, runOrdinal: ordinal, message } of page) {
        if (runId === null) found.unshift({ ordinal, message });
      }
      const last = page.at(-1);
      if (page.length < PAGE || !last) break;
      before = last.seq;
    }
    return new Outside(found, (messages) => shownMessages(this.attachments.shown(messages, principal)));
  }
}

/** Messages outside of runs, from the newest to the oldest. */
class Outside {
  constructor(
    private readonly found: { readonly ordinal: number; readonly message: Message }[],
    private readonly shown: (messages: readonly Message[]) => readonly UiMessage[],
  ) {}

  /** Takes those from an ordinal on. */
  takeFrom(ordinal: number): readonly UiMessage[] {
    const from = this.found.findIndex((one) => one.ordinal >= ordinal);
    return from < 0 ? [] : this.shown(this.found.splice(from).map(({ message }) => message));
  }
}

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
function shownMessages(messages: readonly Message[]): readonly UiMessage[] {
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
      : { ...call, state: 'output-available', output: shownOutput(text, message.metadata) };
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
  const files = own?.['files'];
  const parts = (message.content ?? []).flatMap((content, index): UiPart[] => {
    if (content.type === 'text' || content.type === 'refusal') {
      const text = (content.type === 'text' ? content.text : content.refusal) ?? '';
      const type = message.type === 'reasoning' ? 'reasoning' : 'text';
      return text === '' ? [] : [{ type, text, ...(isAssistants && { state: 'done' }) }];
    }
    const found = mediumOf(content);
    // What the page has said of it counts before what its address tells.
    const said = isPlainObject(files) ? files[String(index)] : undefined;
    return found ? [{ type: 'file', ...found, ...(isPlainObject(said) && said) }] : [];
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
