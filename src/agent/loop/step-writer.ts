import type { JsonObject } from '../../common/index.js';
import type { ResponseBuilder, Usage } from '../../events/index.js';
import type { ToolSet } from '../../tools/index.js';
import type { ModelEvent, ModelToolCall } from '../ports/model-client.js';
import type { CallIds } from './call-ids.js';
import { type CallPermissions, CallSegment } from './call-segment.js';
import { type Segment, TextSegment } from './segment.js';
import type { UiCard } from './ui-card.js';

/** A piece of a model's answer. */
export type ModelDelta = Exclude<ModelEvent, { readonly type: 'finish' }>;

const KINDS = { 'text-delta': 'text', 'reasoning-delta': 'reasoning', 'refusal-delta': 'refusal' } as const;

/** What a finished answer consisted of, and the messages that show it. */
export interface WrittenStep {
  readonly text: string;
  /** The words in which the model declined; empty when it did not. */
  readonly refusal: string;
  /** In the order of their messages. */
  readonly toolCalls: readonly ModelToolCall[];
  readonly messageIds: readonly string[];
}

/** What the calls of an answer are written with. */
export interface StepSetting {
  readonly toolSet: ToolSet;
  readonly callIds: CallIds;
  /** From 0, counted over the run. */
  readonly step: number;
  readonly permissions?: CallPermissions | undefined;
  /** Told of a call before its message is opened. */
  readonly onCall?: (toolName: string) => void;
}

/**
 * Writes the answer of one model call as messages (contract agent-api, section a.3). One message is open at a
 * time, whatever the provider interleaves: the message in front is written live, later ones wait
 * until it is whole. Text and reasoning are whole when something else follows; a call is whole when
 * its arguments are a JSON object, at the latest when the answer ends.
 */
export class StepWriter {
  private readonly segments: Segment[] = [];
  private readonly calls = new Map<number, CallSegment>();
  private front = 0;

  constructor(
    private readonly response: ResponseBuilder,
    private readonly setting: StepSetting,
    private card?: UiCard,
  ) {}

  /** True when nothing was written or kept so far. */
  get isEmpty(): boolean {
    return this.segments.length === 0;
  }

  /** What the model has said so far: what is no reasoning, and what is. */
  get texts(): { readonly spoken: string; readonly thought: string } {
    const thoughts = this.segments.filter((one) => one instanceof TextSegment && one.kind === 'reasoning');
    const spoken = this.segments.filter((one) => !thoughts.includes(one));
    return { spoken: joined(spoken), thought: joined(thoughts) };
  }

  write(delta: ModelDelta): void {
    if (delta.type === 'tool-call-delta') this.writeCall(delta);
    else if (delta.text !== '') this.textSegment(KINDS[delta.type]).append(delta.text);
    this.advance();
  }

  /** Adds the one message of an answer that had none, so that a client sees it end. */
  writeEmptyText(): void {
    this.textSegment('text').append('');
  }

  /**
   * Writes what waits and closes everything; the last message carries the usage.
   *
   * @param replay kept with the last call when this run does not answer all of them: the run that has the
   *   results finds the answer in the session only
   */
  finish(usage: Usage | null, replay?: JsonObject): WrittenStep {
    const calls = [...this.calls.values()];
    const last = calls.at(-1);
    if (replay && last && calls.some(({ isDeferred }) => isDeferred)) last.replay = replay;
    for (const segment of this.segments.slice(this.front)) {
      this.open(segment);
      this.close(segment, segment === this.segments.at(-1) ? usage : null);
    }
    this.front = this.segments.length;
    return {
      text: this.joined('text'),
      refusal: this.joined('refusal'),
      toolCalls: this.segments.flatMap((one) => (one instanceof CallSegment ? [one.toolCall()] : [])),
      messageIds: this.segments.flatMap((one) => one.messageId ?? []),
    };
  }

  private joined(kind: TextSegment['kind']): string {
    return joined(this.segments.filter((one) => one instanceof TextSegment && one.kind === kind));
  }

  private textSegment(kind: TextSegment['kind']): TextSegment {
    const last = this.segments.at(-1);
    if (last instanceof TextSegment && last.kind === kind) return last;
    const segment = new TextSegment(kind);
    this.segments.push(segment);
    return segment;
  }

  private writeCall(delta: Extract<ModelDelta, { type: 'tool-call-delta' }>): void {
    let call = this.calls.get(delta.index);
    if (!call) {
      const { callIds, step, toolSet, permissions } = this.setting;
      const id = callIds.next(step, this.calls.size, delta.id);
      this.calls.set(delta.index, (call = new CallSegment(id, toolSet, permissions)));
      this.segments.push(call);
    }
    if (delta.name) call.setName(delta.name);
    call.append(delta.argumentsDelta);
  }

  private open(segment: Segment): void {
    if (segment instanceof CallSegment && segment.messageId === undefined) {
      this.setting.onCall?.(segment.toolCall().name);
    }
    segment.activate(this.response);
  }

  /** The first text for the user takes the card with it. */
  private close(segment: Segment, usage: Usage | null): void {
    const takes = segment instanceof TextSegment && segment.kind === 'text' && segment.value !== '';
    const card = takes ? this.card : undefined;
    segment.close(usage, card?.metadata);
    if (!card || segment.messageId === undefined) return;
    this.card = undefined;
    card.announce(segment.messageId);
  }

  /** Closes whole messages in front of others, and opens the next. */
  private advance(): void {
    for (let segment = this.segments[this.front]; segment?.isReady; segment = this.segments[this.front]) {
      this.open(segment);
      const isLast = this.front === this.segments.length - 1;
      if (isLast || !segment.isWhole) return;
      this.close(segment, null);
      this.front += 1;
    }
  }
}

function joined(segments: readonly Segment[]): string {
  return segments.map(({ value }) => value).join('');
}
