import { assertUnreachable } from '../common/index.js';
import { BuilderError } from './builder/builder-error.js';
import { discardedMessageIds } from './response-fold.js';
import type { AgentEvent } from './agent-event.js';
import { isTerminalStatus, type AgentResponse, type Content, type ContentType, type Message } from './agent-objects.js';
import { RUN_RECOVERED } from './extension-events.js';

interface MessageState {
  status: Message['status'];
  discarded: boolean;
  readonly slots: { readonly type: ContentType; status: Content['status'] }[];
}

/**
 * Checks the grammar of a whole log, independently of the builder that wrote it (contract agent-api, section
 * a.4): response created, in_progress; each message created, in_progress, its contents, one closing event;
 * exactly one terminal response, and nothing after it. Slots are used in order, from 0. `completed` requires
 * that every message is closed and in `output`; other terminal events may leave messages open. Messages that
 * `run.recovered` discards no longer count and may be started again, also under their old ids.
 */
export class StreamGrammar {
  private responseId: string | undefined;
  private phase: 'new' | 'created' | 'in_progress' | 'ended' = 'new';
  private readonly messages = new Map<string, MessageState>();

  /** True once the terminal event has been accepted. */
  get terminated(): boolean {
    return this.phase === 'ended';
  }

  /** Checks the next event. @throws BuilderError GRAMMAR if it is not allowed here; the state is then unchanged */
  accept(event: AgentEvent): void {
    if (this.phase === 'ended') refuse(`${describe(event)} after the terminal event`);
    switch (event.object) {
      case 'response':
        return this.acceptResponse(event);
      case 'message':
        return this.acceptMessage(event);
      case 'content':
        return this.acceptContent(event);
      case 'custom':
        if (event.name === RUN_RECOVERED) this.discard(discardedMessageIds(event));
        return;
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

  private acceptResponse(event: AgentResponse): void {
    if (this.responseId !== undefined && event.id !== this.responseId)
      refuse(`response ${event.id} within response ${this.responseId}`);
    if (event.status === 'created' || event.status === 'in_progress') {
      const expected = this.phase === 'new' ? 'created' : this.phase === 'created' ? 'in_progress' : 'a terminal state';
      if (event.status !== expected) refuse(`response ${event.status} where ${expected} is due`);
      this.phase = event.status;
    } else if (isTerminalStatus(event.status)) {
      if (this.phase === 'new') refuse(`response ${event.status} before created`);
      if (event.status === 'completed') this.ensureComplete(event);
      this.phase = 'ended';
    } else {
      refuse(`response ${event.status} has no place in a stream`);
    }
    this.responseId = event.id;
  }

  private ensureComplete(event: AgentResponse): void {
    if (this.phase !== 'in_progress') refuse('response completed before in_progress');
    const counted = [...this.messages].filter(([, state]) => !state.discarded);
    const open = counted.find(([, state]) => !isTerminalStatus(state.status));
    if (open) refuse(`response completed while message ${open[0]} is open`);
    const listed = (event.output ?? []).map((message) => message.id);
    const expected = counted.map(([id]) => id);
    if (listed.join() !== expected.join())
      refuse(`response completed with output [${listed.join(', ')}] instead of [${expected.join(', ')}]`);
  }

  private acceptMessage(event: Message): void {
    if (this.phase !== 'in_progress') refuse(`message ${event.id} before the response is in progress`);
    const state = this.messages.get(event.id);
    if (!state || (state.discarded && event.status === 'created')) {
      // Inserted again, so that messages are in the order of their last announcements.
      this.messages.delete(event.id);
      if (event.status !== 'created') refuse(`message ${event.id} ${event.status} before created`);
      this.messages.set(event.id, { status: 'created', discarded: false, slots: [] });
      return;
    }
    if (isTerminalStatus(state.status)) refuse(`message ${event.id} ${event.status} after it is ${state.status}`);
    if (event.status === 'in_progress') {
      if (state.status !== 'created') refuse(`message ${event.id} in_progress twice`);
    } else if (isTerminalStatus(event.status)) {
      this.ensureClosable(event, state);
    } else {
      refuse(`message ${event.id} ${event.status} after it was announced`);
    }
    state.status = event.status;
  }

  private ensureClosable(event: Message, state: MessageState): void {
    if (state.status !== 'in_progress') refuse(`message ${event.id} ${event.status} before in_progress`);
    const open = state.slots.findIndex((slot) => !isTerminalStatus(slot.status));
    if (open >= 0) refuse(`message ${event.id} ${event.status} while content ${open} is open`);
    if (event.content && event.content.length !== state.slots.length) {
      refuse(
        `message ${event.id} ${event.status} with ${event.content.length} contents instead of ${state.slots.length}`,
      );
    }
  }

  private acceptContent(event: Content): void {
    const state = this.messages.get(event.msg_id ?? '');
    if (!state) refuse(`content of message ${event.msg_id}, which was not announced`);
    if (state.status !== 'in_progress') refuse(`content of message ${event.msg_id}, which is ${state.status}`);
    const { index, status } = event;
    const slot = index === null ? undefined : state.slots[index];
    if (status !== 'in_progress' && !isTerminalStatus(status)) refuse(`content with status ${status}`);
    if (!slot) {
      if (index !== state.slots.length)
        refuse(`content ${index} of message ${event.msg_id} where ${state.slots.length} is the next slot`);
      if (status !== 'in_progress')
        refuse(`content ${index} of message ${event.msg_id} ${status} before it was opened`);
      state.slots.push({ type: event.type, status });
      return;
    }
    if (slot.type !== event.type)
      refuse(`content ${index} of message ${event.msg_id} changes from ${slot.type} to ${event.type}`);
    if (isTerminalStatus(slot.status)) refuse(`content ${index} of message ${event.msg_id} after it is ${slot.status}`);
    if (status !== 'in_progress' && event.delta === true)
      refuse(`content ${index} of message ${event.msg_id} closed by a delta`);
    slot.status = status;
  }

  private discard(ids: readonly string[]): void {
    for (const id of ids) {
      const state = this.messages.get(id);
      if (state) state.discarded = true;
    }
  }
}

function refuse(sentence: string): never {
  throw new BuilderError('GRAMMAR', sentence);
}

function describe(event: AgentEvent): string {
  return 'status' in event ? `${event.object} ${event.status}` : event.object;
}
