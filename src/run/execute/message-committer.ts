import type { JsonObject } from '../../common/index.js';
import { isTerminalStatus, type Message, type ResponseBuilder } from '../../events/index.js';
import { answeredAfter, type MessageState, messageState, type MessageStates } from '../../agent/session/index.js';

/**
 * Decides when messages of a run that has not ended are final and join its session: those of finished steps,
 * and all closed ones of an agent that is never restarted. They join in the order of the run's output, each
 * once, so a message waits for those before it (contract runs-api, section 6).
 */
export class MessageCommitter {
  /** True for an agent that is never restarted: what it wrote is never discarded. */
  neverDiscards = false;
  /** The messages that the run answers. */
  input: readonly Message[] = [];
  private readonly closed = new Map<string, Message>();
  /** Provider states by the id of the message that each one is stored with. */
  private readonly states = new Map<string, JsonObject>();

  /**
   * @param finished the ids of the messages of steps that earlier attempts finished
   * @param joined how many messages of the output the session has already
   */
  constructor(
    private readonly response: Pick<ResponseBuilder, 'messagesFrom'>,
    private readonly finished: Set<string>,
    private joined: number,
  ) {}

  /**
   * A step with these messages is finished. Returns the messages that join now.
   *
   * @param state what the provider wants back with the answer: it is stored with its last message
   */
  afterStep(messageIds: readonly string[], state?: JsonObject): readonly Message[] {
    if (messageIds.length === 0) return [];
    if (state) this.keep(messageIds, state);
    for (const id of messageIds) this.finished.add(id);
    return this.next();
  }

  /** A message event is being written. Returns the messages that join with it. */
  afterEvent(message: Message): readonly Message[] {
    if (!this.neverDiscards || !isTerminalStatus(message.status)) return [];
    this.closed.set(message.id, message);
    return this.next();
  }

  /** A step of an earlier attempt, whose messages may not have joined yet, has this state. */
  keep(messageIds: readonly string[], state: JsonObject): void {
    const last = messageIds.at(-1);
    if (last !== undefined) this.states.set(last, state);
  }

  /** The provider states of messages that join; undefined if they have none. */
  statesOf(messages: readonly Message[]): MessageStates | undefined {
    if (this.states.size === 0) return undefined;
    const found = new Map<string, MessageState>();
    for (const message of messages) {
      const state = this.states.get(message.id);
      const stored = state && messageState(state, message, this.answeredBy(message));
      if (stored) found.set(message.id, stored);
    }
    return found.size > 0 ? found : undefined;
  }

  /** The messages that join at the end of the run. */
  rest(output: readonly Message[]): readonly Message[] {
    return output.slice(this.joined);
  }

  /** What comes before a message of the output: a message of the output or of the input. */
  private answeredBy({ id }: Message): Message | undefined {
    let answered: Message | undefined;
    for (const message of this.input) answered = answeredAfter(answered, message);
    for (const message of this.response.messagesFrom(0)) {
      if (message.id === id) break;
      answered = answeredAfter(answered, message);
    }
    return answered;
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
