import type { ByteHold } from '../../../common/index.js';
import type { Message } from '../../../events/index.js';

/** How many conversations one connection remembers. */
const MAX_CONVERSATIONS = 16;

interface Conversation {
  readonly messages: readonly Message[];
  readonly room: ByteHold;
}

/**
 * The conversations of the responses of one connection that are not stored. It forgets the oldest ones when they are
 * too many, or when there is no room for all of them.
 */
export class ConversationMemory {
  private readonly conversations = new Map<string, Conversation>();
  private isClosed = false;

  /** @param take takes room for bytes; undefined if there is none */
  constructor(private readonly take: (bytes: number) => ByteHold | undefined) {}

  /** The messages of the conversation that ends with a response; undefined if it is not remembered. */
  get(responseId: string): readonly Message[] | undefined {
    return this.conversations.get(responseId)?.messages;
  }

  /** Remembers a conversation, unless it alone is too large. */
  set(responseId: string, messages: readonly Message[]): void {
    this.delete(responseId);
    if (this.isClosed) return;
    if (this.conversations.size >= MAX_CONVERSATIONS) this.forgetOldest();
    const bytes = Buffer.byteLength(JSON.stringify(messages));
    let room = this.take(bytes);
    while (!room && this.forgetOldest()) room = this.take(bytes);
    if (room) this.conversations.set(responseId, { messages, room });
  }

  /** Forgets a conversation. */
  delete(responseId: string): void {
    this.conversations.get(responseId)?.room.release();
    this.conversations.delete(responseId);
  }

  /** Forgets all, and what a response that still ends would add. */
  close(): void {
    this.isClosed = true;
    for (const responseId of [...this.conversations.keys()]) this.delete(responseId);
  }

  /** Returns whether there was one. */
  private forgetOldest(): boolean {
    const [oldest] = this.conversations.keys();
    if (oldest !== undefined) this.delete(oldest);
    return oldest !== undefined;
  }
}
