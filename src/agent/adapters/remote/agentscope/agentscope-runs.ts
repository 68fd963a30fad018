import { type Fields, textAt } from '../json-fields.js';
import type { Turn } from '../remote-kind.js';
import { answeredCalls } from './agentscope-input.js';

/** Tells the replies of one run from those of the other runs of its session. */
export class OwnReplies {
  private readonly others = new Set<string>();
  /** The reply that the stream is at. */
  private latest = '';

  constructor(private readonly turn: Turn) {}

  /** Notes the stored messages of the session when the run was accepted: replies that are not behind its message are of others. */
  noteEarlier(messages: readonly Fields[]): void {
    const at = this.ownIn(messages);
    for (const one of at < 0 ? messages : messages.slice(0, at)) this.others.add(textAt(one, 'id') ?? '');
  }

  /** False for an event of another run: of one before, or of one that begins when this one is over. */
  has(type: string, reply: string | undefined, isOver: boolean): boolean {
    if (type === 'REPLY_START') {
      if (isOver && reply !== undefined && reply !== this.latest) this.others.add(reply);
      this.latest = reply ?? '';
    }
    return !this.others.has(reply ?? this.latest);
  }

  /** The messages of the assistant behind ours, or from that on which waits for our answer, until another run begins. */
  in(messages: readonly Fields[]): readonly Fields[] {
    const at = this.ownIn(messages);
    if (at < 0) return [];
    const behind = messages.slice(answeredCalls(this.turn).length > 0 ? at : at + 1);
    const next = behind.findIndex((one) => textAt(one, 'role') === 'user');
    return behind.slice(0, next < 0 ? behind.length : next).filter((one) => textAt(one, 'role') === 'assistant');
  }

  /** Where our message is, or that which waits for our answer; -1 if it is not there. */
  private ownIn(messages: readonly Fields[]): number {
    const [asked] = answeredCalls(this.turn);
    const own = asked ? asked.replyId : this.turn.id;
    return messages.findLastIndex((one) => textAt(one, 'id') === own);
  }
}
