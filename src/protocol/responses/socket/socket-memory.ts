import type { Message } from '../../../events/index.js';

/** How many conversations one connection remembers. */
const LIMIT = 16;

/**
 * What one connection remembers: the conversations up to its last responses, stored or not. A response
 * that is stored nowhere can be gone on from only here (contract responses, section B1).
 */
export class SocketMemory {
  private readonly conversations = new Map<string, readonly Message[]>();

  find(responseId: string): readonly Message[] | undefined {
    return this.conversations.get(responseId);
  }

  remember(responseId: string, messages: readonly Message[]): void {
    this.conversations.set(responseId, messages);
    const [oldest] = this.conversations.keys();
    if (this.conversations.size > LIMIT && oldest !== undefined) this.conversations.delete(oldest);
  }

  forget(responseId: string): void {
    this.conversations.delete(responseId);
  }
}
