import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { Sessions } from '../../session/index.js';
import { fieldError } from '../http/index.js';
import { InputResolver } from './input-resolver.js';
import { itemIdOf, messageIdOf } from './items/item-ids.js';
import type { Item } from './items/item.types.js';
import { approvedCallId } from './items/make-item.js';
import { callData, isServerCall, isServerOutput, outputData } from './items/tool-data.js';
import { type ListPage, listPage, type PageQuery } from './list-page.js';
import { bodyFields } from './request/create-request.decoder.js';
import { decodeInputItem } from './request/input-item.decoder.js';
import { ResponsesIntake } from './responses-intake.js';
import { ResponsesOwner } from './responses-owner.js';
import { notFound } from './responses-refusal.js';
import { itemsOf, SessionHistory } from './session-history.js';

/** Items that one request may add. */
export const MAX_NEW_ITEMS = 20;

/** The items of conversations (contract responses, section A1). */
@Injectable()
export class ConversationItems {
  constructor(
    private readonly sessions: Sessions,
    private readonly history: SessionHistory,
    private readonly owner: ResponsesOwner,
    private readonly resolver: InputResolver,
    private readonly intake: ResponsesIntake,
  ) {}

  /** @throws AppError SESSION_NOT_FOUND, INVALID_PARAMETER */
  async list(conversationId: string, query: PageQuery): Promise<ListPage<Item>> {
    const principal = await this.owner.ofConversation(conversationId);
    return listPage(await this.history.items(principal, conversationId), query);
  }

  /** Adds items; the answer lists them. @throws AppError SESSION_NOT_FOUND; as the decoder */
  async add(conversationId: string, body: unknown): Promise<ListPage<Item>> {
    const fields = bodyFields(body);
    const principal = await this.owner.ofConversation(conversationId);
    const given = fields.list('items', MAX_NEW_ITEMS);
    if (!given) throw fieldError('items', 'is required', 'MISSING_PARAMETER');
    const messages = await this.decode(principal, given);
    await this.append(principal, conversationId, messages);
    return listPage(itemsOf(messages), { order: 'asc', limit: String(2 * MAX_NEW_ITEMS) });
  }

  /** @throws AppError SESSION_NOT_FOUND, RESOURCE_NOT_FOUND */
  async find(conversationId: string, itemId: string): Promise<Item> {
    const principal = await this.owner.ofConversation(conversationId);
    const item = (await this.history.items(principal, conversationId)).find((one) => one.id === itemId);
    if (!item) throw notFound('RESOURCE_NOT_FOUND', 'Item', itemId);
    return item;
  }

  /** Takes an item out of its conversation. @throws AppError SESSION_NOT_FOUND, RESOURCE_NOT_FOUND */
  async remove(conversationId: string, itemId: string): Promise<void> {
    const principal = await this.owner.ofConversation(conversationId);
    const behind = messagesBehind(itemId, await this.history.messages(principal, conversationId));
    if (behind.length === 0) throw notFound('RESOURCE_NOT_FOUND', 'Item', itemId);
    for (const { id } of behind) await this.sessions.removeMessage(principal, conversationId, id);
  }

  /** The messages of new items. @throws AppError naming the place of the first wrong one */
  decode({ tenantId }: Principal, items: readonly unknown[]): Promise<readonly Message[]> {
    const entries = items.map((item, index) => decodeInputItem(item, `items[${index}]`, this.intake.items));
    return this.resolver.resolve({ tenantId }, entries);
  }

  /** Puts messages at the end of a conversation that exists. */
  async append(principal: Principal, conversationId: string, messages: readonly Message[]): Promise<void> {
    if (messages.length > 0) await this.sessions.append(principal, conversationId, messages);
  }
}

/** The messages that an item shows: of a call of the server's, the call and what came of it. */
function messagesBehind(itemId: string, messages: readonly Message[]): readonly Message[] {
  const found =
    messages.find((message) => isAllowedCall(itemId, message)) ??
    messages.find((message) => isShownAs(itemId, message));
  if (!found) return [];
  const callId = serverCallIdOf(found);
  return callId === undefined ? [found] : messages.filter((message) => serverCallIdOf(message) === callId);
}

function isAllowedCall(itemId: string, message: Message): boolean {
  const asked = isServerOutput(message.type) ? outputData(message).approvalRequestId : null;
  return asked !== null && approvedCallId(asked) === itemId;
}

function isShownAs(itemId: string, message: Message): boolean {
  return message.id === messageIdOf(itemId) || message.id === itemId || itemIdOf(message) === itemId;
}

function serverCallIdOf(message: Message): string | undefined {
  if (isServerCall(message.type)) return callData(message, '').callId;
  return isServerOutput(message.type) ? outputData(message).callId : undefined;
}
