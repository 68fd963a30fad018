import type { JsonObject } from '../../common/index.js';
import { type Content, dataOf, isTerminalStatus, type Message } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';
import { resultEvents } from './message-kinds.js';
import { encrypted, type OpenMessage } from './open-messages.js';

/** A tool call. It is shown from when its id and name are known. */
export class OpenCall implements OpenMessage {
  readonly diverged = false;
  /** Set once TOOL_CALL_START was yielded. */
  private callId: string | undefined;
  /** The arguments so far, as JSON text. */
  private shown = '';

  /** @param parentId the assistant's message that the call belongs to */
  constructor(private readonly parentId: string) {}

  /** Nothing: the id and the name of a call are in its first content. */
  open(): AgUiEvent[] {
    return [];
  }

  /** TOOL_CALL_START as soon as the id and the name are known, then the missing piece of the arguments. */
  content(event: Content): AgUiEvent[] {
    if (event.type !== 'data' || !event.data) return [];
    const { arguments: args } = event.data;
    const events = this.start(event.data);
    const isWhole = event.delta !== true || isTerminalStatus(event.status);
    if (isWhole && typeof args === 'string') events.push(...this.rest(args));
    else if (typeof args === 'string') events.push(...this.piece(args));
    else if (isTerminalStatus(event.status) && args !== undefined && args !== null) {
      events.push(...this.rest(JSON.stringify(args)));
    }
    return events;
  }

  /** TOOL_CALL_END. A call whose id or name never became known is not shown at all. */
  close(closing: Message | undefined): AgUiEvent[] {
    const data = closing && dataOf(closing);
    const events = data ? this.start(data) : [];
    if (this.callId === undefined) return [];
    events.push({ type: 'TOOL_CALL_END', toolCallId: this.callId }, ...encrypted('tool-call', this.callId, closing));
    return events;
  }

  /** TOOL_CALL_START once, when the id and the name are known. */
  private start(data: JsonObject): AgUiEvent[] {
    const { call_id: id, name } = data;
    if (this.callId !== undefined || typeof id !== 'string' || typeof name !== 'string') return [];
    this.callId = id;
    return [{ type: 'TOOL_CALL_START', toolCallId: id, toolCallName: name, parentMessageId: this.parentId }];
  }

  /** Pieces that come before the id is known are counted as shown; AG-UI has no event for them. */
  private piece(delta: string): AgUiEvent[] {
    this.shown += delta;
    if (this.callId === undefined || delta === '') return [];
    return [{ type: 'TOOL_CALL_ARGS', toolCallId: this.callId, delta }];
  }

  /** Arguments are never rewritten, only completed. */
  private rest(whole: string): AgUiEvent[] {
    return whole.startsWith(this.shown) ? this.piece(whole.slice(this.shown.length)) : [];
  }
}

/** The output of a call, shown when it is whole. */
export class OpenResult implements OpenMessage {
  readonly diverged = false;

  open(): AgUiEvent[] {
    return [];
  }

  content(): AgUiEvent[] {
    return [];
  }

  /** The result events; nothing when the message is cut off, because a partial output is not a result. */
  close(closing: Message | undefined): AgUiEvent[] {
    return closing ? resultEvents(closing) : [];
  }
}
