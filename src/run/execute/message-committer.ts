import { isTerminalStatus, type Message, type ResponseBuilder } from '../../events/index.js';

/**
 * Decides when messages of a run that has not ended are final and join its session: those of finished steps,
 * and all closed ones of an agent that is never restarted. They join in the order of the run's output, each
 * once, so a message waits for those before it (contract runs-api, section 6).
 */
export class MessageCommitter {
  /** True for an agent that is never restarted: what it wrote is never discarded. */
  neverDiscards = false;
  private readonly closed = new Map<string, Message>();

  /**
   * @param finished the ids of the messages of steps that earlier attempts finished
   * @param joined how many messages of the output the session has already
   */
  constructor(
    private readonly response: Pick<ResponseBuilder, 'messagesFrom'>,
    private readonly finished: Set<string>,
    private joined: number,
  ) {}

  /** A step with these messages is finished. Returns the messages that join now. */
  afterStep(messageIds: readonly string[]): readonly Message[] {
    if (messageIds.length === 0) return [];
    for (const id of messageIds) this.finished.add(id);
    return this.next();
  }

  /** A message event is being written. Returns the messages that join with it. */
  afterEvent(message: Message): readonly Message[] {
    if (!this.neverDiscards || !isTerminalStatus(message.status)) return [];
    this.closed.set(message.id, message);
    return this.next();
  }

  /** The messages that join at the end of the run. */
  rest(output: readonly Message[]): readonly Message[] {
    return output.slice(this.joined);
  }

  private next(): readonly Message[] {
    const ready: Message[] = [];
    for (const message of this.response.messagesFrom(this.joined)) {
      const final = this.closed.get(message.id) ?? (this.finished.has(message.id) ? message : undefined);
      if (!final || !isTerminalStatus(final.status)) break;
      ready.push(final);
      this.closed.delete(message.id);
    }
    this.joined += ready.length;
    return ready;
  }
}
