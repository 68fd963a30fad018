import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../attachment/index.js';
import type { Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import { ActiveTurns } from './active-turns.js';
import type { Level, UiMessage } from './chunk.types.js';
import { shownMessages } from './shown-messages.js';
import { TurnMessages } from './turn-messages.js';
import { Turns } from './turns.js';

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
