import {
  type AgentResponse,
  type CustomEvent,
  discardedMessageIds,
  type InterruptEvent,
  isTerminalEvent,
  isTerminalStatus,
  type LoggedEvent,
  RUN_RECOVERED,
} from '../../events/index.js';
import { type AgUiEvent, AgUiFold } from '../ag-ui-events/index.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { dataFrame, DONE_FRAME } from '../http/sse/frames.js';
import type { AgKitEvent } from './ag-kit.types.js';
import { interruptEvents } from './interrupt.encoder.js';
import { DeferredCallEnds, ShownCalls } from './shown-calls.js';

/** How the encoder writes. */
export interface AgKitEncoderOptions {
  /** Sent as text before an `error` event, for clients that do not show errors. Absent: nothing is sent. */
  readonly errorText?: string | undefined;
}

/** The vendor's clients would take the end of the stream for the end of the answer. */
export const SHUTDOWN_MESSAGE = 'The server is shutting down; the run goes on';

/** Separates the incomplete answer of a lost worker from the one that replaces it. */
const BREAK = '\n\n';

/**
 * The original AG-Kit dialect's view of a run (contract ag-kit, sections 1.4 to 1.7), by way of its
 * AG-UI events: text and tool traffic are shown, everything else is left out. The vendor's hook sets the
 * order: no result comes while a call is open, an interrupt is last and follows something to show it with.
 * The end of a client's call, which lets the client make it, comes when the call can no longer be discarded.
 */
export class AgKitEncoder implements FrameEncoder {
  readonly joinable = true;
  private readonly fold = new AgUiFold({ threadId: '', runId: '', generation: 'v1' });
  private readonly calls = new ShownCalls();
  private readonly deferred = new DeferredCallEnds();
  /** Messages of the log that call tools of the client. */
  private readonly clientMessages = new Set<string>();
  private interrupt: InterruptEvent | undefined;
  /** Something that the client shows has been written. */
  private visible = false;
  private breakDue = false;
  private ended = false;

  constructor(private readonly options: AgKitEncoderOptions = {}) {}

  next(logged: LoggedEvent): readonly string[] {
    return this.events(logged).map((event) => dataFrame(JSON.stringify(event)));
  }

  end(): readonly string[] {
    return this.ended ? [DONE_FRAME] : [];
  }

  shutdownFrame(): string {
    const { errorText } = this.options;
    const events: AgKitEvent[] = [{ type: 'error', error: SHUTDOWN_MESSAGE }];
    if (errorText) events.unshift(...this.text(errorText));
    return events.map((event) => dataFrame(JSON.stringify(event))).join('') + DONE_FRAME;
  }

  private events(logged: LoggedEvent): readonly AgKitEvent[] {
    const { event } = logged;
    if (event.object === 'message' && event.type === 'function_call') this.clientMessages.add(event.id);
    const isCut = event.object === 'message' && isTerminalStatus(event.status) && event.status !== 'completed';
    const isEnd = isTerminalEvent(event);
    const isRecovery = event.object === 'custom' && event.name === RUN_RECOVERED;
    const events = this.fold.next(logged);
    // A result shows that the answer is stored: its calls can no longer be discarded.
    const released = !isEnd && events.some(({ type }) => type === 'TOOL_CALL_RESULT') ? this.deferred.release() : [];
    const shown = events.flatMap((one) => {
      // A call that was cut off has no complete arguments: a client must not run it.
      if (one.type === 'TOOL_CALL_END' && (isCut || isEnd || isRecovery)) return this.calls.drop(one.toolCallId);
      return this.translate(one, logged);
    });
    if (event.object === 'interrupt') return [...this.asked(event), ...shown];
    if (isRecovery) return [...this.deferred.pass(shown), ...this.recovered(event)];
    const passed = [...released, ...this.deferred.pass(shown)];
    return isEnd ? [...passed, ...this.ending(event)] : passed;
  }

  private translate(event: AgUiEvent, { event: source }: LoggedEvent): readonly AgKitEvent[] {
    switch (event.type) {
      case 'TEXT_MESSAGE_CONTENT':
        return this.text(event.delta);
      case 'TOOL_CALL_START': {
        const messageId =
          (source.object === 'content' ? source.msg_id : source.object === 'message' && source.id) || '';
        return this.started(event.toolCallId, event.toolCallName, messageId);
      }
      case 'TOOL_CALL_ARGS':
        return this.calls.args(event.toolCallId, event.delta);
      case 'TOOL_CALL_END':
        return this.calls.end(event.toolCallId);
      case 'TOOL_CALL_RESULT':
        return this.calls.result(event.toolCallId, event.content);
      default:
        return [];
    }
  }

  private started(callId: string, name: string, messageId: string): readonly AgKitEvent[] {
    this.visible = true;
    if (this.clientMessages.has(messageId)) this.deferred.addClientCall(callId);
    return this.calls.start(callId, name, messageId);
  }

  /** The run waits for an answer: its calls can no longer be discarded. */
  private asked(event: InterruptEvent): readonly AgKitEvent[] {
    this.interrupt = event;
    return this.deferred.release();
  }

  private recovered(event: CustomEvent): readonly AgKitEvent[] {
    this.calls.lose(new Set(discardedMessageIds(event)));
    this.breakDue = this.visible;
    return this.deferred.withoutEnds((callId) => this.calls.takeBackEnd(callId));
  }

  private text(delta: string): readonly AgKitEvent[] {
    this.visible ||= delta.trim() !== '';
    const content = this.breakDue ? BREAK + delta : delta;
    this.breakDue = false;
    return [{ type: 'text', content }];
  }

  private ending(response: AgentResponse): readonly AgKitEvent[] {
    this.ended = true;
    const isWhole = response.status === 'completed';
    // A run that was cut waits for no call.
    const held = isWhole ? this.deferred.release() : this.deferred.withoutEnds(() => true);
    return [...held, ...this.calls.flush(), ...(isWhole ? this.question() : this.failure(response))];
  }

  private question(): readonly AgKitEvent[] {
    return this.interrupt ? interruptEvents(this.interrupt, this.visible) : [];
  }

  private failure(response: AgentResponse): readonly AgKitEvent[] {
    const { errorText } = this.options;
    const error =
      response.status === 'canceled' ? 'The run was canceled' : (response.error?.message ?? 'The run failed');
    return [...(errorText ? this.text(errorText) : []), { type: 'error', error }];
  }
}
