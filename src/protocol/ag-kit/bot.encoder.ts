import {
  type AgentResponse,
  type InterruptEvent,
  isTerminalEvent,
  type LoggedEvent,
  RUN_RECOVERED,
} from '../../events/index.js';
import { type AgUiEvent, AgUiFold } from '../ag-ui-events/index.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { dataFrame, DONE_FRAME } from '../http/sse/frames.js';
import { SHUTDOWN_MESSAGE } from './ag-kit.encoder.js';
import { leadOf } from './interrupt.encoder.js';

/** Why an answer of the older bot dialect continues or ends. */
export type BotFinishReason = 'continue' | 'stop' | 'length' | 'error' | 'content_filter';

/** Separates the incomplete answer of a lost worker from the one that replaces it. */
const BREAK = '\n\n';

/**
 * The older bot dialect's view of a run, text only (contract ag-kit, section 5): pieces of the answer,
 * pieces of the reasoning, and one last frame with the reason of its end. Its clients can neither run tools nor
 * approve calls: a run that waits for an answer sends that as text.
 */
export class BotEncoder implements FrameEncoder {
  readonly joinable = true;
  private readonly fold = new AgUiFold({ threadId: '', runId: '', generation: 'v1' });
  private interrupt: InterruptEvent | undefined;
  private created = 0;
  private recordId: string | undefined;
  private hasText = false;
  private breakDue = false;
  private ended = false;

  next(logged: LoggedEvent): readonly string[] {
    const { event } = logged;
    if (event.object === 'response') this.created = event.created_at * 1000;
    if (event.object === 'interrupt') this.interrupt = event;
    const shown = this.fold.next(logged).flatMap((one) => this.translate(one));
    if (event.object === 'custom' && event.name === RUN_RECOVERED) this.breakDue = this.hasText;
    return isTerminalEvent(event) ? [...shown, ...this.ending(event)] : shown;
  }

  end(): readonly string[] {
    return this.ended ? [DONE_FRAME] : [];
  }

  shutdownFrame(): string {
    return this.frame({ type: 'text', content: '', error: { message: SHUTDOWN_MESSAGE } }, 'error') + DONE_FRAME;
  }

  private translate(event: AgUiEvent): readonly string[] {
    if (event.type === 'TEXT_MESSAGE_CONTENT') {
      this.recordId = event.messageId;
      return [this.text(event.delta)];
    }
    if (event.type !== 'REASONING_MESSAGE_CONTENT') return [];
    return [this.frame({ type: 'thinking', content: '', reasoning_content: event.delta })];
  }

  private text(delta: string): string {
    const content = this.breakDue ? BREAK + delta : delta;
    this.hasText = true;
    this.breakDue = false;
    return this.frame({ type: 'text', content });
  }

  private ending(response: AgentResponse): readonly string[] {
    this.ended = true;
    const [item] = this.interrupt?.items ?? [];
    const waits = item ? [this.text(`${this.hasText ? BREAK : ''}${leadOf(item)}`)] : [];
    const reason = reasonOf(response);
    const error = reason === 'error' ? { error: { message: response.error?.message ?? 'The run failed' } } : {};
    return [...waits, this.frame({ type: 'text', content: '', ...error }, reason)];
  }

  private frame(fields: object, reason: BotFinishReason = 'continue'): string {
    const record = this.recordId === undefined ? {} : { record_id: this.recordId };
    const common = { role: 'assistant', created: this.created, finish_reason: reason, ...record };
    return dataFrame(JSON.stringify(Object.assign({}, fields, common)));
  }
}

function reasonOf({ status, error }: AgentResponse): BotFinishReason {
  if (status === 'completed' || status === 'canceled') return 'stop';
  if (status !== 'incomplete') return 'error';
  return error?.code === 'content_filter' ? 'content_filter' : 'length';
}
