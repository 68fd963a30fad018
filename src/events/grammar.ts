import { BuilderError } from './builder/builder-error.js';
import { discardedMessageIds } from './response-fold.js';
import {
  isTerminalStatus,
  RUN_RECOVERED,
  type AgentEvent,
  type AgentResponse,
  type Content,
  type ContentType,
  type Message,
} from './vocabulary.js';

interface MessageState {
  status: Message['status'];
  discarded: boolean;
  readonly slots: { readonly type: ContentType; status: Content['status'] }[];
}

/**
 * The grammar of a whole log, independent of the builder that wrote it (contract agent-api, section a.4):
 * response created, in_progress; each message created, in_progress, its contents, one closing; exactly
 * one terminal response, and nothing after it. Slots are taken in order, from 0. `completed` needs every
 * message closed and all of them in `output`; the other terminals may cut messages off. Messages that
 * `run.recovered` discards no longer count; they may be begun again, also under their old ids.
 */
export class StreamGrammar {
  private responseId: string | undefined;
  private phase: 'new' | 'created' | 'in_progress' | 'ended' = 'new';
  private readonly messages = new Map<string, MessageState>();

  /** True once the terminal event was accepted. */
  get terminated(): boolean {
    return this.phase === 'ended';
  }

  /** Takes the next event. @throws BuilderError GRAMMAR when it may not stand here; the state is unchanged then */
  accept(event: AgentEvent): void {
    if (this.phase === 'ended') refuse(`${describe(event)} after the terminal event`);
    if (event.object === 'response') this.acceptResponse(event);
    else if (event.object === 'message') this.acceptMessage(event);
    else if (event.object === 'content') this.acceptContent(event);
    else if (event.object === 'custom' && event.name === RUN_RECOVERED) this.discard(discardedMessageIds(event));
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
    const standing = [...this.messages].filter(([, state]) => !state.discarded);
    const open = standing.find(([, state]) => !isTerminalStatus(state.status));
    if (open) refuse(`response completed while message ${open[0]} is open`);
    const listed = (event.output ?? []).map((message) => message.id);
    const expected = standing.map(([id]) => id);
    if (listed.join() !== expected.join())
      refuse(`response completed with output [${listed.join(', ')}] instead of [${expected.join(', ')}]`);
  }

  private acceptMessage(event: Message): void {
    if (this.phase !== 'in_progress') refuse(`message ${event.id} before the response is in progress`);
    const state = this.messages.get(event.id);
    if (!state || (state.discarded && event.status === 'created')) {
      // Re-inserted, so that messages stay in the order of their (last) announcements.
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
