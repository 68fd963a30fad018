import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/index.js';
import type { LocatedMessages } from '../../agent/attachment/index.js';
import type { JsonObject, Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { Runs } from '../../run/index.js';
import { Sessions, type SessionView } from '../../agent/session/index.js';
import { fieldError } from '../http/index.js';
import { decodeMetadata, type ListPage, listPage, type PageQuery } from '../openai/index.js';
import { ConversationHistory } from './conversation-history.js';
import { ConversationItems } from './conversation-items.js';
import { itemIdOf, messageIdOf } from './items/item-ids.js';
import type { Item } from './items/item.types.js';
import { approvedCallId } from './items/make-item.js';
import { callData, isServerCall, isServerOutput, outputData } from './items/tool-data.js';
import { bodyFields } from './responses-request.decoder.js';
import { ResponseRequests } from './response-requests.js';
import { notFound } from './responses.errors.js';

/** A conversation. Times are whole seconds. */
export interface Conversation {
  /** The session's id. Conversations that this wire creates have the prefix `conv_`. */
  readonly id: string;
  readonly object: 'conversation';
  /** Seconds since the epoch, rounded down. */
  readonly created_at: number;
  /** Set by the client; empty if it has set none. */
  readonly metadata: JsonObject;
}

/** The answer to the deletion of a conversation. */
export interface DeletedConversation {
  /** The id of the deleted conversation. */
  readonly id: string;
  readonly object: 'conversation.deleted';
  readonly deleted: true;
}

/** Items that one request may add. */
const MAX_NEW_ITEMS = 20;

/**
 * Conversations, which are the sessions of the server, and their items (contract responses, sections A1 and A8).
 * Every method but `create` throws SESSION_NOT_FOUND (404) for an unknown conversation.
 */
@Injectable()
export class ConversationsService {
  constructor(
    private readonly sessions: Sessions,
    private readonly runs: Runs,
    private readonly history: ConversationHistory,
    private readonly items: ConversationItems,
    private readonly requests: ResponseRequests,
  ) {}

  /** Creates a conversation. @throws AppError for invalid metadata or items; then nothing is created */
  async create(caller: Caller, body: unknown): Promise<Conversation> {
    const fields = bodyFields(body ?? {});
    const metadata = decodeMetadata(fields);
    const id = this.requests.newId('conv_');
    const principal = caller.actingFor(undefined, id);
    const messages = await this.items.decode(caller, principal, fields.list('items', MAX_NEW_ITEMS) ?? []);
    const session = await this.sessions.create(principal, id, metadata);
    await this.addFirst(principal, id, messages);
    return conversationOf(session);
  }

  /** @throws OpenAiError SESSION_NOT_FOUND */
  async find(caller: Caller, id: string): Promise<Conversation> {
    const session = await this.sessions.view(await this.history.owner(caller, id), id);
    if (!session) throw notFound('SESSION_NOT_FOUND', 'Conversation', id);
    return conversationOf(session);
  }

  /** Replaces the metadata. @throws OpenAiError SESSION_NOT_FOUND; AppError MISSING_PARAMETER without metadata */
  async update(caller: Caller, id: string, body: unknown): Promise<Conversation> {
    const fields = bodyFields(body);
    if (!fields.object('metadata')) throw fieldError('metadata', 'is required', 'MISSING_PARAMETER');
    const metadata = decodeMetadata(fields);
    return conversationOf(await this.sessions.saveMetadata(await this.history.owner(caller, id), id, metadata));
  }

  /** Deletes a conversation with its items and responses. @throws OpenAiError SESSION_NOT_FOUND; SESSION_BUSY */
  async remove(caller: Caller, id: string): Promise<DeletedConversation> {
    await this.runs.removeSession(await this.history.owner(caller, id), id, caller.origin());
    return { id, object: 'conversation.deleted', deleted: true };
  }

  /** @throws OpenAiError SESSION_NOT_FOUND; INVALID_PARAMETER for an unknown `after` */
  async listItems(caller: Caller, id: string, query: PageQuery): Promise<ListPage<Item>> {
    return listPage(await this.items.of(await this.history.owner(caller, id), id), query);
  }

  /** Appends items and lists them. @throws OpenAiError SESSION_NOT_FOUND; as `decodeInputItem` */
  async addItems(caller: Caller, id: string, body: unknown): Promise<ListPage<Item>> {
    const fields = bodyFields(body);
    const principal = await this.history.owner(caller, id);
    const given = fields.list('items', MAX_NEW_ITEMS);
    if (!given) throw fieldError('items', 'is required', 'MISSING_PARAMETER');
    const messages = await this.items.decode(caller, principal, given);
    return listPage(await this.items.append(principal, id, messages), {
      order: 'asc',
      limit: String(2 * MAX_NEW_ITEMS),
    });
  }

  /** @throws OpenAiError SESSION_NOT_FOUND, RESOURCE_NOT_FOUND */
  async findItem(caller: Caller, id: string, itemId: string): Promise<Item> {
    const item = (await this.items.of(await this.history.owner(caller, id), id)).find((one) => one.id === itemId);
    if (!item) throw notFound('RESOURCE_NOT_FOUND', 'Item', itemId);
    return item;
  }

  /** Deletes an item and returns its conversation. @throws OpenAiError SESSION_NOT_FOUND, RESOURCE_NOT_FOUND */
  async removeItem(caller: Caller, id: string, itemId: string): Promise<Conversation> {
    const principal = await this.history.owner(caller, id);
    const messages = messagesOfItem(itemId, await this.history.messages(principal, id));
    if (messages.length === 0) throw notFound('RESOURCE_NOT_FOUND', 'Item', itemId);
    for (const message of messages) await this.sessions.removeMessage(principal, id, message.id);
    return this.find(caller, id);
  }

  /** Adds the first items; if they are refused there is no conversation. */
  private async addFirst(principal: Principal, id: string, messages: LocatedMessages): Promise<void> {
    try {
      await this.items.append(principal, id, messages);
    } catch (error) {
      await this.runs.removeSession(principal, id);
      throw error;
    }
  }
}

/** The session keeps milliseconds; this wire has whole seconds. */
function conversationOf({ sessionId, createdAt, metadata }: SessionView): Conversation {
  return { id: sessionId, object: 'conversation', created_at: Math.floor(createdAt / 1000), metadata };
}

/** The messages that an item shows: for a call of the server, the call and its output. */
function messagesOfItem(itemId: string, messages: readonly Message[]): readonly Message[] {
  const found =
    messages.find((message) => isApprovedCall(itemId, message)) ??
    messages.find((message) => isShownAs(itemId, message));
  if (!found) return [];
  const callId = serverCallIdOf(found);
  return callId === undefined ? [found] : messages.filter((message) => serverCallIdOf(message) === callId);
}

/** An item of an approved call has an id made from the approval request's id, so it is compared separately. */
function isApprovedCall(itemId: string, message: Message): boolean {
  const requestId = isServerOutput(message.type) ? outputData(message).approvalRequestId : null;
  return requestId !== null && approvedCallId(requestId) === itemId;
}

/** Clients may name an item by its own id or by the id of the message that it shows. */
function isShownAs(itemId: string, message: Message): boolean {
  return message.id === messageIdOf(itemId) || message.id === itemId || itemIdOf(message) === itemId;
}

/** The id of the call that a message of the server's tools belongs to; undefined for all other messages. */
function serverCallIdOf(message: Message): string | undefined {
  if (isServerCall(message.type)) return callData(message, '').callId;
  return isServerOutput(message.type) ? outputData(message).callId : undefined;
}
