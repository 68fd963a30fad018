import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { type LocatedMessages, MessageAttachments } from '../../agent/attachment/index.js';
import type { Principal } from '../../common/index.js';
import { Sessions } from '../../agent/session/index.js';
import { ConversationHistory } from './conversation-history.js';
import { InputResolver } from './input-resolver.js';
import type { Item } from './items/item.types.js';
import { itemsOfConversation, itemsOfHistory } from './items/output-items.js';
import { decodeInputItem } from './request/input-item.decoder.js';
import { ResponseRequests } from './response-requests.js';

/** The items of conversations: read, and added without a run. */
@Injectable()
export class ConversationItems {
  constructor(
    private readonly sessions: Sessions,
    private readonly history: ConversationHistory,
    private readonly resolver: InputResolver,
    private readonly requests: ResponseRequests,
    private readonly attachments: MessageAttachments,
  ) {}

  /** All items of a conversation, oldest first. */
  async of(principal: Principal, id: string): Promise<readonly Item[]> {
    return itemsOfConversation(await this.history.messages(principal, id));
  }

  /**
   * The messages of new items. @param owner of the conversation
   *
   * @throws AppError naming the path of the first invalid one
   */
  decode(caller: Caller, owner: Principal, items: readonly unknown[]): Promise<LocatedMessages> {
    const sources = this.requests.itemSources(caller);
    const entries = items.map((item, index) => decodeInputItem(item, `items[${index}]`, sources));
    return this.resolver.resolveAdded(caller, owner, entries);
  }

  /** Adds messages and returns their items. @throws AppError SESSION_NOT_FOUND; INVALID_PARAMETER for an unknown image */
  async append(principal: Principal, id: string, { messages, granted }: LocatedMessages): Promise<readonly Item[]> {
    if (messages.length > 0) {
      await this.sessions.append(principal, id, messages, (tx, place) =>
        this.attachments.bind(tx, { principal, messages, granted, ...place }),
      );
    }
    return itemsOfHistory(this.attachments.shown(messages, principal));
  }
}
