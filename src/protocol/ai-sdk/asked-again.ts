import { Injectable } from '@nestjs/common';
import { type Principal, userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { Runs } from '../../run/index.js';
import { type SessionMessage, Sessions } from '../../agent/session/index.js';
import { UI_METADATA, uiMetadataOf } from './ai-sdk-data.js';
import { Turns } from './turns.js';

/** How many messages are read at once. */
const PAGE = 100;

/** A question that is asked again. */
export interface AskedAgain {
  /** The message from which on the conversation is taken back. */
  readonly replacesFrom: string;
  /** What came with the question before it, and stays. */
  readonly before: readonly Message[];
  /** The question as it was asked. */
  readonly asked: readonly Message[];
}

/** Finds the questions of answers that are to be generated again (contract ui-message-stream, section A3). */
@Injectable()
export class QuestionsAgain {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly turns: Turns,
  ) {}

  /** The message of a user that the chat has; undefined for any other id. */
  async question(principal: Principal, chatId: string, id: string): Promise<SessionMessage | undefined> {
    const found = id === '' ? undefined : await this.sessions.message(principal, chatId, id);
    return found && isQuestion(found.message) ? found : undefined;
  }

  /** A question as it was asked, for one that takes its place or is asked again. */
  async asked(principal: Principal, { message, runId }: SessionMessage): Promise<AskedAgain> {
    const given = runId === null ? [] : await this.runs.input(userReach(principal), runId);
    const at = given.findIndex(({ id }) => id === message.id);
    const found = at < 0 ? undefined : askedAt(given, at);
    return found ?? { replacesFrom: message.id, before: [], asked: [message] };
  }

  /** The question whose answer has an id; undefined if no answer has it. */
  async ofAnswer(principal: Principal, chatId: string, answerId: string): Promise<AskedAgain | undefined> {
    for await (const turn of this.turns.all(principal, chatId)) {
      const [first] = turn;
      if (!first || this.turns.answerId(turn) !== answerId) continue;
      const given = await this.turns.input(first);
      return askedAt(given, given.findLastIndex(({ role }) => role !== 'user' && role !== 'system') + 1);
    }
    const answer = await this.sessions.message(principal, chatId, answerId);
    return answer?.message.role === 'assistant' ? this.beforeAnswer(principal, chatId, answer) : undefined;
  }

  /** The question that precedes an answer which no run of this chat has given, such as an imported one. */
  private async beforeAnswer(
    principal: Principal,
    chatId: string,
    answer: SessionMessage,
  ): Promise<AskedAgain | undefined> {
    for (let { seq: before } = answer; ;) {
      const page = await this.sessions.messages(principal, chatId, { limit: PAGE, order: 'desc', before });
      const question = page.find(({ message }) => isQuestion(message));
      if (question) return this.asked(principal, question);
      const last = page.at(-1);
      if (page.length < PAGE || !last) return undefined;
      before = last.seq;
    }
  }
}

/** A question of several messages that came together begins where it is named, and ends before the next answer. */
function askedAt(given: readonly Message[], at: number): AskedAgain | undefined {
  const rest = given.slice(at);
  const end = rest.findIndex(({ role }) => role !== 'user' && role !== 'system');
  const asked = (end < 0 ? rest : rest.slice(0, end)).map(asOwn);
  const [first] = asked;
  return first && { replacesFrom: first.id, before: given.slice(0, at), asked };
}

/** An imported question is one of this chat once it is asked here. */
function asOwn(message: Message): Message {
  const own = uiMetadataOf(message.metadata);
  if (own?.['imported'] === undefined) return message;
  const { imported: _, ...kept } = own;
  return { ...message, metadata: { ...message.metadata, [UI_METADATA]: kept } };
}

function isQuestion({ role, type }: Message): boolean {
  return role === 'user' && type === 'message';
}
