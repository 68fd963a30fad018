import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { Runs, type RunView } from '../../run/index.js';
import type { SessionMessage } from '../../agent/session/index.js';
import { fieldError } from '../http/index.js';
import { ActiveTurns } from './active-turns.js';
import { aiSdkDataOf } from './ai-sdk-data.js';
import { type AskedAgain, QuestionsAgain } from './asked-again.js';
import { ChatRequests, type PlacedChat, type UserSaying } from './chat-requests.js';
import { keyOf, type SubmittedChat } from './submitted-chat.js';
import { Turns } from './turns.js';

/** What takes the place of a question, or of its answer. */
interface Replacement {
  readonly question: AskedAgain;
  /** The same request has the same name. */
  readonly name: string;
  /**
   * Whether this request only repeats the one that has begun the last turn, whose response was lost. @param last the last
   * run of that turn. Absent: it is a new one
   */
  readonly isRepeated?: (last: RunView) => boolean;
}

/** False for a run that nobody would want to see again. */
function hasAnswer({ state }: RunView): boolean {
  return state !== 'failed' && state !== 'canceled';
}

/** Edits, and answers that are generated again (contract ui-message-stream, section A3). */
@Injectable()
export class ChatReplacements {
  constructor(
    private readonly runs: Runs,
    private readonly turns: Turns,
    private readonly requests: ChatRequests,
    private readonly questions: QuestionsAgain,
    private readonly actives: ActiveTurns,
  ) {}

  /** As `QuestionsAgain.question`. */
  question(principal: Principal, chatId: string, id: string): Promise<SessionMessage | undefined> {
    return this.questions.question(principal, chatId, id);
  }

  /** A message in place of one that the chat has. */
  async editing(placed: PlacedChat, last: UserSaying, edited: SessionMessage): Promise<SubmittedChat> {
    const { principal } = placed;
    const message = await this.requests.resolved(placed, last);
    const { replacesFrom, before } = await this.questions.asked(principal, edited);
    const name = keyOf('edit', edited.message.id, message.content);
    return this.replacing(placed, {
      question: { replacesFrom, before, asked: [message] },
      name,
      isRepeated: hasAnswer,
    });
  }

  /** @throws AppError INVALID_PARAMETER if the chat has no such answer */
  async regenerating(placed: PlacedChat): Promise<SubmittedChat> {
    const { request, principal } = placed;
    const { chatId, messageId, last } = request;
    const answer = messageId === undefined ? undefined : await this.questions.ofAnswer(principal, chatId, messageId);
    if (answer) return this.replacing(placed, { question: answer, name: keyOf('again', messageId) });
    // A page may name a question, and its last message by itself until an answer has begun: then the question tells.
    const named = messageId === undefined ? undefined : await this.questions.question(principal, chatId, messageId);
    const found = named ?? (await this.questions.question(principal, chatId, last.id));
    if (!found) throw fieldError('messageId', 'names no answer that could be generated again', 'INVALID_PARAMETER');
    const question = await this.questions.asked(principal, found);
    const name = keyOf('again', messageId ?? found.message.id);
    // The id of an answer that is gone can only be repeated. What names a question may be meant anew, once it is answered.
    const isGone = messageId !== undefined && !named;
    const isRepeated = isGone ? hasAnswer : (run: RunView) => hasAnswer(run) && this.actives.isActive(run);
    return this.replacing(placed, { question, name, isRepeated });
  }

  /** Takes a question and everything after it back, and asks what takes its place. */
  private async replacing(placed: PlacedChat, { question, name, isRepeated }: Replacement): Promise<SubmittedChat> {
    const { principal, request, data } = placed;
    const { chatId } = request;
    const [newest] = await this.runs.list(principal, chatId, { limit: 1 });
    const turn = isRepeated ? await this.turns.last(principal, chatId) : [];
    const [first, last] = [turn[0], turn.at(-1)];
    if (first && last && aiSdkDataOf(first)?.replaces === name && isRepeated?.(last)) {
      return { kind: 'turn', turn, from: first };
    }
    const { replacesFrom, before, asked } = question;
    const runKey = keyOf('again', name, newest?.ordinal ?? 0);
    const own = { ...placed, data: { ...data, replaces: name } };
    const accepted = await this.runs.accept({
      ...this.requests.runOf(own, { input: [...before, ...asked], runKey }),
      replacesFrom,
      onBusy: 'rollback',
    });
    return { kind: 'run', run: accepted.run };
  }
}
