import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { Sessions } from '../../session/index.js';
import { ANONYMOUS_USER, requestPrincipal } from '../http/index.js';
import { notFound } from './responses-refusal.js';

/**
 * Whose a conversation is. This wire's requests seldom name a user, so a conversation made here belongs
 * to a user of its own name, as one made over the Agent API without a user does.
 */
@Injectable()
export class ResponsesOwner {
  constructor(private readonly sessions: Sessions) {}

  /** Whose a new conversation is. */
  ofNew(conversationId: string, user?: string): Principal {
    return requestPrincipal(user ?? conversationId);
  }

  /**
   * Whose a conversation is that must exist.
   *
   * @param param the field that names it; null when the path does
   * @throws AppError SESSION_NOT_FOUND
   */
  async ofConversation(id: string, user?: string, param: string | null = null): Promise<Principal> {
    for (const candidate of new Set([...(user === undefined ? [] : [user]), id, ANONYMOUS_USER])) {
      const principal = requestPrincipal(candidate);
      if (await this.sessions.view(principal, id)) return principal;
    }
    throw notFound('SESSION_NOT_FOUND', 'Conversation', id, param);
  }
}
