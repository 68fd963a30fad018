import { type Content, isTerminalStatus } from '../../events/index.js';
import type { Chunk } from './chunk.types.js';

/** What a text part holds. */
export type TextKind = 'text' | 'reasoning';

/** One text that a client shows. */
interface OpenText {
  readonly id: string;
  readonly kind: TextKind;
  readonly messageId: string;
}

/** The texts of a message of the assistant as parts with a start and an end (contract ui-message-stream, section A4). */
export class TextParts {
  /** The open ones by message and index, in the order in which they began. */
  private readonly open = new Map<string, OpenText>();
  /** How many parts each slot has had: a text that replaces another one is a part of its own. */
  private readonly counts = new Map<string, number>();

  /** True while a text is open. */
  get isOpen(): boolean {
    return this.open.size > 0;
  }

  /** The part to which pieces of a content go; undefined before its first piece. */
  partOf(messageId: string, index: number): OpenText | undefined {
    return this.open.get(keyOf(messageId, index));
  }

  /**
   * The chunks of a text, a piece of one or the whole. The whole at the end repeats the pieces. What was sent cannot be
   * taken back: a text that replaces it follows as another part.
   */
  take(kind: TextKind, messageId: string, content: Content, text: string): Chunk[] {
    const key = keyOf(messageId, content.index ?? 0);
    const isEnd = isTerminalStatus(content.status);
    const isWhole = content.delta !== true;
    if (isWhole && isEnd && this.counts.has(key)) return this.close(key);
    const chunks = isWhole ? this.close(key) : [];
    if (text !== '') {
      let part = this.open.get(key);
      if (!part) {
        part = this.begin(kind, messageId, key);
        chunks.push({ type: `${kind}-start`, id: part.id });
      }
      chunks.push({ type: `${kind}-delta`, id: part.id, delta: text });
    }
    if (isEnd) chunks.push(...this.close(key));
    return chunks;
  }

  /** Ends the open texts of a message, or all. */
  closeAll(messageId?: string): Chunk[] {
    return [...this.open]
      .filter(([, part]) => messageId === undefined || part.messageId === messageId)
      .flatMap(([key]) => this.close(key));
  }

  /** Forgets the open texts, which the client drops with their step. */
  forget(): void {
    this.open.clear();
  }

  private begin(kind: TextKind, messageId: string, key: string): OpenText {
    const count = this.counts.get(key) ?? 0;
    this.counts.set(key, count + 1);
    const part = { id: count === 0 ? key : `${key}:${count}`, kind, messageId };
    this.open.set(key, part);
    return part;
  }

  private close(key: string): Chunk[] {
    const part = this.open.get(key);
    if (!part) return [];
    this.open.delete(key);
    return [{ type: `${part.kind}-end`, id: part.id }];
  }
}

function keyOf(messageId: string, index: number): string {
  return `${messageId}:${index}`;
}
