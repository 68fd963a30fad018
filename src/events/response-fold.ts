import { assertUnreachable, type JsonObject } from '../common/index.js';
import { ContentValue, fieldsOf, makeContent } from './content-value.js';
import { isTerminalEvent, type AgentEvent } from './agent-event.js';
import { isTerminalStatus, type AgentResponse, type Content, type Message } from './agent-objects.js';
import { RUN_RECOVERED, type CustomEvent } from './extension-events.js';

interface Slot {
  readonly value: ContentValue;
  readonly index: number;
  status: Content['status'];
}

interface MessageState {
  head: Message;
  slots: Slot[];
  /** The closing event. */
  closed: Message | undefined;
}

/**
 * Folds a run log, or any prefix of it, into the current response: text and data of open contents accumulate
 * from their deltas. Messages that a `run.recovered` event discards are removed from the output. Extension
 * events do not change the response. The cost is linear in the size of the log.
 */
export class ResponseFold {
  private head: AgentResponse | undefined;
  private ended: AgentResponse | undefined;
  private readonly messages = new Map<string, MessageState>();
  private readonly discarded = new Set<string>();

  /** Applies the next event of the log. Expects a legal log (`StreamGrammar`) and never throws. */
  apply(event: AgentEvent): void {
    switch (event.object) {
      case 'content':
        return this.applyContent(event);
      case 'message':
        return this.applyMessage(event);
      case 'response':
        return this.applyResponse(event);
      case 'custom':
        return this.applyCustom(event);
      case 'state':
      case 'step':
      case 'activity':
      case 'raw':
      case 'subagent':
      case 'interrupt':
        return;
      default:
        return assertUnreachable(event);
    }
  }

  /** The ids of the discarded messages. */
  get retired(): readonly string[] {
    return [...this.discarded];
  }

  /** The current response; undefined before its first event. Must not be changed. */
  response(): AgentResponse | undefined {
    if (this.ended) return this.ended;
    return this.head && { ...this.head, output: this.output() };
  }

  /** True once the terminal event has been applied. */
  get isEnded(): boolean {
    return this.ended !== undefined;
  }

  /** The ids of the messages of the output, including open ones, in order. */
  messageIds(): string[] {
    return [...this.messages.keys()];
  }

  /** The ids of the announced messages that are not closed, in order. */
  openMessageIds(): string[] {
    return this.messageIds().filter((id) => !this.messages.get(id)?.closed);
  }

  /** A message in its current state; undefined if it is not part of the output. */
  message(id: string): Message | undefined {
    const state = this.messages.get(id);
    return state && snapshot(state);
  }

  private output(): Message[] {
    return [...this.messages.values()].map(snapshot);
  }

  private applyResponse(event: AgentResponse): void {
    this.head = event;
    if (isTerminalEvent(event)) this.ended = event.output ? event : { ...event, output: this.output() };
  }

  private applyMessage(event: Message): void {
    if (this.discarded.has(event.id)) {
      // Started again under its old id.
      if (event.status !== 'created') return;
      this.discarded.delete(event.id);
    }
    const state = this.messages.get(event.id);
    const closed = isTerminalStatus(event.status);
    if (!state) {
      this.messages.set(event.id, {
        head: event,
        slots: (event.content ?? []).map(slotOf),
        closed: closed ? event : undefined,
      });
      return;
    }
    state.head = event;
    if (closed) {
      state.closed = event.content ? event : snapshot(state);
      state.slots = [];
    }
  }

  private applyContent(event: Content): void {
    const state = event.msg_id === null ? undefined : this.messages.get(event.msg_id);
    if (!state || state.closed) return;
    const index = event.index ?? 0;
    let slot = state.slots[index];
    if (!slot) {
      slot = { value: new ContentValue(event.type), index, status: event.status };
      state.slots[index] = slot;
    }
    slot.status = event.status;
    if (event.type === 'text' && event.delta) slot.value.appendText(event.text ?? '');
    else if (event.delta) slot.value.append(fieldsOf(event));
    else slot.value.replace(fieldsOf(event));
  }

  private applyCustom(event: CustomEvent): void {
    if (event.name !== RUN_RECOVERED) return;
    for (const id of discardedMessageIds(event)) {
      this.discarded.add(id);
      this.messages.delete(id);
    }
  }
}

/** The ids that a `run.recovered` event discards. */
export function discardedMessageIds(event: CustomEvent): readonly string[] {
  const ids = (event.value as JsonObject | null)?.['discardedMessageIds'];
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

function snapshot(state: MessageState): Message {
  if (state.closed) return state.closed;
  const id = state.head.id;
  return { ...state.head, content: state.slots.map((slot) => contentOf(slot, id)) };
}

function contentOf({ value, index, status }: Slot, msgId: string): Content {
  return makeContent({ type: value.type, index, msgId, status: status ?? 'in_progress', delta: false }, value.whole());
}

function slotOf(content: Content, index: number): Slot {
  const value = new ContentValue(content.type);
  value.replace(fieldsOf(content));
  return { value, index, status: content.status };
}
