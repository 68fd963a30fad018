import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../attachment/index.js';
import { Clock, isPlainObject, type Principal, userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { Interrupts, type InterruptView } from '../../interrupt/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import { questionsOf } from '../ag-ui-events/index.js';
import { AiSdkSettings } from './ai-sdk.settings.js';
import { AiSdkWire } from './ai-sdk.wire.js';
import type { Level, UiMessage } from './chunk.types.js';
import { MessageReducer } from './message-reducer.js';
import { shownMessages } from './shown-messages.js';
import { TurnFold } from './turn-fold.js';
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
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    private readonly attachments: MessageAttachments,
    private readonly turns: Turns,
    private readonly wire: AiSdkWire,
    private readonly settings: AiSdkSettings,
    private readonly clock: Clock,
  ) {}

  /** The turn that the chat's stream brings, oldest run first; undefined if nothing is active. */
  async active(principal: Principal, chatId: string): Promise<readonly RunView[] | undefined> {
    const turn = await this.turns.last(principal, chatId);
    const last = turn.at(-1);
    return last && this.isActive(last) ? turn : undefined;
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
      const isActive = isNewest && this.isActive(last);
      if (isActive) activeRunId = last.runId;
      outside ??= await this.outside(principal, chatId);
      const answerId = this.turns.answerId(turn);
      const input = await this.runs.input(userReach(first), first.runId);
      const later = outside.takeFrom(first.ordinal + 1);
      const asked = shownMessages(this.attachments.shown(input, principal));
      const isPast = isBefore;
      // The answer, which is expensive, is only made if it is wanted.
      const answer =
        !isActive && (isPast || [...asked, ...later].some(({ id }) => id === before))
          ? await this.answer(turn, answerId, { level, isNewest })
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

  /** A finished turn stays active for a while, so that a page which loads just then lacks nothing. */
  private isActive({ finishedAt, state }: RunView): boolean {
    if (finishedAt === null) return true;
    return state !== 'interrupted' && this.clock.now() - finishedAt < this.settings.replayWindowMs;
  }

  /** The answer of a turn that is over or waits. */
  private async answer(
    turn: readonly RunView[],
    id: string,
    { level, isNewest }: { readonly level: Level | undefined; readonly isNewest: boolean },
  ): Promise<UiMessage | undefined> {
    const [first, last] = [turn[0], turn.at(-1)];
    if (!first || !last) return undefined;
    const reducer = new MessageReducer(id);
    const fold = new TurnFold(this.wire.foldOptions(last, level));
    const metadata = fold.startMetadata(first);
    if (metadata) reducer.take([{ type: 'start', messageId: id, messageMetadata: metadata }]);
    for (const run of turn) {
      const { events, outputs, discarded } = await this.turns.logged(run);
      reducer.take(fold.begin(run, discarded));
      reducer.take(outputs.flatMap((message) => fold.clientOutput(message)));
      const chunks = events.flatMap((event) => fold.next(event));
      reducer.take(run === last ? chunks : chunks.filter(({ type }) => type !== 'finish'));
    }
    if (turn.some(({ state }) => state === 'interrupted')) {
      const questions = (await Promise.all(turn.map((run) => questionsOf(this.interrupts, run)))).flat();
      reducer.take(fold.settled(questions, { isWaiting: isNewest && last.state === 'interrupted' }));
      for (const question of questions) decide(reducer, question);
    }
    return reducer.message();
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

/** How an approval was decided; one that nobody decided in time counts as denied. */
function decide(reducer: MessageReducer, { id: approvalId, status, decision }: InterruptView): void {
  if (status === 'pending' || status === 'answered') return;
  const given = isPlainObject(decision) ? decision['reason'] : undefined;
  const reason = typeof given === 'string' ? given : undefined;
  reducer.decide({ approvalId, approved: status === 'approved', reason });
}
