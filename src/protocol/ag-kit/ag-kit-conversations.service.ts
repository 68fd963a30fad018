import { Injectable } from '@nestjs/common';
import { AppError, IdFactory, isoTime, type Principal } from '../../common/index.js';
import { textOf } from '../../events/index.js';
import { Runs } from '../../run/index.js';
import { type SessionMessage, Sessions, type SessionView } from '../../agent/session/index.js';
import { type Caller, type NamedUser } from '../../access/index.js';
import { sessionOwner } from '../wire/index.js';
import type { ConversationDto, ConversationListDto, RecordDto, RecordListDto } from './dto/conversation.dto.js';

const PAGE = 500;
/** How many messages, the newest ones, are counted and listed. */
const MOST_MESSAGES = 10_000;
/** How many sessions, the newest ones, are counted and listed. */
const MOST_SESSIONS = 2000;

/** The user of conversations. */
export interface ConversationUser {
  readonly caller: Caller;
  /** The user that the request names. */
  readonly user: NamedUser | undefined;
}

/** A page of records. */
export interface RecordsPage {
  readonly conversationId: string | undefined;
  readonly sort: 'asc' | 'desc';
  readonly pageNumber: number;
  readonly pageSize: number;
}

/**
 * Conversations, which are sessions, and their messages (contract ag-kit, section 2). A conversation without a
 * user has a user of its own, as on the other wires; without authentication, a request without a user lists those.
 */
@Injectable()
export class AgKitConversations {
  constructor(
    private readonly sessions: Sessions,
    private readonly runs: Runs,
    private readonly ids: IdFactory,
  ) {}

  /** @throws AppError SESSION_EXISTS */
  async create(user: ConversationUser, named: string | undefined, title: string | undefined): Promise<string> {
    const id = named ?? this.ids.next('');
    await this.sessions.create(user.caller.actingFor(user.user, id), id, title === undefined ? {} : { title });
    return id;
  }

  async list(user: ConversationUser, offset: number, limit: number): Promise<ConversationListDto> {
    const all = await this.all(user, MOST_SESSIONS);
    return { conversationList: all.slice(offset, offset + limit).map(conversationOf), total: all.length };
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async rename(user: ConversationUser, id: string, title: string): Promise<void> {
    const principal = await this.ownerOf(user, id);
    const session = await this.sessions.view(principal, id);
    if (!session) throw new AppError('SESSION_NOT_FOUND');
    await this.sessions.saveMetadata(principal, id, { ...session.metadata, title });
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async remove(user: ConversationUser, id: string): Promise<void> {
    await this.runs.removeSession(await this.ownerOf(user, id), id, user.caller.origin(user.user));
  }

  /** The texts of user and agent, without tool calls and reasoning. */
  async records(user: ConversationUser, botId: string, page: RecordsPage): Promise<RecordListDto> {
    const id = page.conversationId ?? (await this.all(user, 1))[0]?.sessionId;
    if (id === undefined) return { recordList: [], total: 0 };
    const texts = await this.texts(await this.ownerOf(user, id), id);
    const ordered = page.sort === 'asc' ? [...texts].reverse() : texts;
    const start = (page.pageNumber - 1) * page.pageSize;
    const recordList = ordered.slice(start, start + page.pageSize).map((message) => recordOf(message, botId, id));
    return { recordList, total: texts.length };
  }

  private ownerOf({ caller, user: named }: ConversationUser, id: string): Promise<Principal> {
    return sessionOwner(this.sessions, caller, id, { named, unnamed: id });
  }

  private async all({ caller, user }: ConversationUser, most: number): Promise<readonly SessionView[]> {
    const found: SessionView[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.sessions.list(caller.actingFor(user), {
        limit: Math.min(PAGE, most),
        ...(cursor !== undefined && { cursor }),
        unowned: caller.identity === undefined && user === undefined,
      });
      found.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined && found.length < most);
    return found;
  }

  /** Newest first. */
  private async texts(principal: Principal, id: string): Promise<readonly SessionMessage[]> {
    const texts: SessionMessage[] = [];
    let before: number | undefined;
    for (let seen = 0; seen < MOST_MESSAGES; seen += PAGE) {
      const query = { limit: PAGE, order: 'desc' as const, ...(before !== undefined && { before }) };
      const page = await this.sessions.messages(principal, id, query);
      texts.push(...page.filter(isRecord));
      before = page.at(-1)?.seq;
      if (page.length < PAGE) break;
    }
    return texts;
  }
}

function isRecord({ message }: SessionMessage): boolean {
  const { type, role } = message;
  return type === 'message' && (role === 'user' || role === 'assistant') && textOf(message) !== '';
}

function recordOf({ message, createdAt }: SessionMessage, botId: string, conversationId: string): RecordDto {
  const role = message.role === 'user' ? 'user' : 'assistant';
  const createTime = isoTime(createdAt);
  return { recordId: message.id, botId, conversationId, role, content: textOf(message), createTime };
}

function conversationOf({ sessionId, metadata, createdAt, updatedAt }: SessionView): ConversationDto {
  const { title } = metadata;
  return {
    conversationId: sessionId,
    title: typeof title === 'string' ? title : '',
    createTime: isoTime(createdAt),
    updateTime: isoTime(updatedAt),
  };
}
