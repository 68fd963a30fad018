import { Injectable } from '@nestjs/common';
import { IdFactory, type JsonObject } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { Sessions, type SessionView } from '../../session/index.js';
import { fieldError } from '../http/index.js';
import { ConversationItems, MAX_NEW_ITEMS } from './conversation-items.js';
import { bodyFields } from './request/create-request.decoder.js';
import { decodeMetadata } from './request/setting.decoder.js';
import { ResponsesOwner } from './responses-owner.js';
import { notFound } from './responses-refusal.js';

/** A conversation. Times are whole seconds. */
export interface Conversation {
  readonly id: string;
  readonly object: 'conversation';
  readonly created_at: number;
  readonly metadata: JsonObject;
}

/** The answer to a removal. */
export interface DeletedConversation {
  readonly id: string;
  readonly object: 'conversation.deleted';
  readonly deleted: true;
}

/** Conversations: the sessions of the server under this wire's name (contract responses, sections A1 and A8). */
@Injectable()
export class ConversationService {
  constructor(
    private readonly sessions: Sessions,
    private readonly runs: Runs,
    private readonly owner: ResponsesOwner,
    private readonly items: ConversationItems,
    private readonly ids: IdFactory,
  ) {}

  /** @throws AppError for wrong metadata or items; then nothing is made */
  async create(body: unknown): Promise<Conversation> {
    const fields = bodyFields(body ?? {});
    const metadata = decodeMetadata(fields);
    const id = this.ids.next('conv_');
    const principal = this.owner.ofNew(id);
    const messages = await this.items.decode(principal, fields.list('items', MAX_NEW_ITEMS) ?? []);
    const session = await this.sessions.create(principal, id, metadata);
    await this.items.append(principal, id, messages);
    return conversationOf(session);
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async find(id: string): Promise<Conversation> {
    const principal = await this.owner.ofConversation(id);
    const session = await this.sessions.view(principal, id);
    if (!session) throw notFound('SESSION_NOT_FOUND', 'Conversation', id);
    return conversationOf(session);
  }

  /** Replaces the metadata. @throws AppError SESSION_NOT_FOUND; MISSING_PARAMETER, for nothing is no new metadata */
  async update(id: string, body: unknown): Promise<Conversation> {
    const fields = bodyFields(body);
    if (!fields.object('metadata')) throw fieldError('metadata', 'is required', 'MISSING_PARAMETER');
    const metadata = decodeMetadata(fields);
    const principal = await this.owner.ofConversation(id);
    return conversationOf(await this.sessions.saveMetadata(principal, id, metadata));
  }

  /** Removes a conversation and everything said in it. @throws AppError SESSION_NOT_FOUND, SESSION_BUSY */
  async remove(id: string): Promise<DeletedConversation> {
    const principal = await this.owner.ofConversation(id);
    await this.runs.removeSession(principal, id);
    return { id, object: 'conversation.deleted', deleted: true };
  }
}

function conversationOf({ sessionId, createdAt, metadata }: SessionView): Conversation {
  return { id: sessionId, object: 'conversation', created_at: Math.floor(createdAt / 1000), metadata };
}
