import type { OutputLimit, ResponseBuilder, Usage } from '../../events/index.js';
import type { ToolSet } from '../tools/index.js';
import type { ModelEvent, ModelToolCall } from '../ports/model-client.js';
import type { CallIds } from './call-ids.js';
import { type CallApprovals, CallSegment } from './call-segment.js';
import { type CitedSource, type Segment, TextSegment } from './segment.js';
import type { UiCard } from './ui-card.js';

/** A delta of a model's answer. */
export type ModelDelta = Exclude<ModelEvent, { readonly type: 'finish' }>;

/** The kinds of text segments by the type of the delta. */
const KINDS = { 'text-delta': 'text', 'reasoning-delta': 'reasoning', 'refusal-delta': 'refusal' } as const;

/** The parts of a finished answer, and the ids of its messages. */
export interface WrittenStep {
  /** The texts of the answer joined, without reasoning and refusals. */
  readonly text: string;
  /** The text in which the model declined to answer; empty if it did not. */
  readonly refusal: string;
  /** In the order of their messages. */
  readonly toolCalls: readonly ModelToolCall[];
  /** All messages that the step has written, for the journal. */
  readonly messageIds: readonly string[];
}

/** How an answer ended. */
export interface StepEnd {
  /** Null if the provider has reported none. */
  readonly usage: Usage | null;
  /** The limit that has cut the answer. */
  readonly limit?: OutputLimit | undefined;
  /** True if another message of the step follows, so that the last one of the answer is not that of the step. */
  readonly isFollowed?: boolean;
}

/** What a step writer needs for the calls of an answer. */
export interface StepSetting {
  readonly toolSet: ToolSet;
  /** Gives the ids of calls. */
  readonly callIds: CallIds;
  /** The number of the model call in the run, from 0. */
  readonly step: number;
  /** Decides which calls wait for the user; undefined if none can. */
  readonly approvals?: CallApprovals | undefined;
  /** Called before the message of a call is opened. */
  readonly onCall?: (toolName: string) => void;
}

/**
 * Writes the answer of one model call as messages (contract agent-api, section a.3). Only one message is open at
 * a time, even if the provider interleaves them: the front message is streamed, later ones are buffered until it
 * is complete. Text and reasoning are complete when something else follows; a call is complete when its
 * arguments are a JSON object, at the latest when the answer ends.
 */
export class StepWriter {
  private readonly segments: Segment[] = [];
  private readonly calls = new Map<number, CallSegment>();
  /** Sources before the text that rests on them. */
  private readonly sources: CitedSource[] = [];
  private front = 0;

  constructor(
    private readonly response: ResponseBuilder,
    private readonly setting: StepSetting,
    private card?: UiCard,
  ) {}

  /** True if nothing has been written or buffered so far. */
  get isEmpty(): boolean {
    return this.segments.length === 0;
  }

  /** True if the answer has a text for the user, or a refusal. */
  get hasAnswer(): boolean {
    return this.joined('text') !== '' || this.joined('refusal') !== '';
  }

  /** The texts so far: the reasoning, and everything else. */
  get texts(): { readonly answer: string; readonly reasoning: string } {
    const reasoning = this.segments.filter((one) => one instanceof TextSegment && one.kind === 'reasoning');
    const answer = this.segments.filter((one) => !reasoning.includes(one));
    return { answer: joined(answer), reasoning: joined(reasoning) };
  }

  /** Appends a delta to its segment and shows what can be shown. */
  write(delta: ModelDelta): void {
    if (delta.type === 'citation') {
      this.cite(delta);
      return;
    }
    if (delta.type === 'tool-call-delta') this.writeCall(delta);
    else if (delta.type === 'image') this.textSegment('text').show(delta.url);
    else if (delta.text !== '' && this.writeText(KINDS[delta.type], delta.text)) return;
    this.advance();
  }

  /** Adds an empty message to an answer without messages, so that clients see its end. */
  writeEmptyText(): void {
    this.textSegment('text').append('');
  }

  /**
   * Writes what is buffered and closes everything. The last message has the usage. Of an answer that a limit has cut,
   * the last message of the step is incomplete, and so is every call without its whole arguments.
   */
  finish({ usage, limit, isFollowed = false }: StepEnd): WrittenStep {
    for (const segment of this.segments.slice(this.front)) {
      const isLast = segment === this.segments.at(-1);
      const isCut = (isLast && !isFollowed) || (segment instanceof CallSegment && !segment.isWhole);
      this.open(segment);
      this.close(segment, isLast ? usage : null, isCut ? limit : undefined);
    }
    this.front = this.segments.length;
    return {
      text: this.joined('text'),
      refusal: this.joined('refusal'),
      toolCalls: this.segments.flatMap((one) => (one instanceof CallSegment ? [one.toolCall()] : [])),
      messageIds: this.segments.flatMap((one) => one.messageId ?? []),
    };
  }

  /** True when the text went into the message in front, which stays open: nothing else changes. */
  private writeText(kind: TextSegment['kind'], text: string): boolean {
    const segment = this.textSegment(kind);
    segment.append(text);
    return segment.messageId !== undefined && this.front === this.segments.length - 1;
  }

  private joined(kind: TextSegment['kind']): string {
    return joined(this.segments.filter((one) => one instanceof TextSegment && one.kind === kind));
  }

  /** Consecutive deltas of one kind make one message. */
  private textSegment(kind: TextSegment['kind']): TextSegment {
    const last = this.segments.at(-1);
    if (last instanceof TextSegment && last.kind === kind) return last;
    const segment = new TextSegment(kind);
    this.segments.push(segment);
    if (kind === 'text') for (const source of this.sources.splice(0)) this.cite(source);
    return segment;
  }

  /** A source belongs to the text that is being written, or else to the next one. */
  private cite(source: CitedSource): void {
    const texts = this.segments.filter((one) => one instanceof TextSegment && one.kind === 'text') as TextSegment[];
    const open = texts.findLast((one) => !one.isClosed);
    if (!open) {
      this.sources.push(source);
      return;
    }
    const before = joined(texts.slice(0, texts.indexOf(open))).length;
    const { url, title, startIndex, endIndex } = source;
    open.cite({
      ...{ url, title },
      startIndex: startIndex === undefined ? undefined : startIndex - before,
      endIndex: endIndex === undefined ? undefined : endIndex - before,
    });
  }

  /** Deltas of parallel calls can alternate, so each is found by its index. */
  private writeCall(delta: Extract<ModelDelta, { type: 'tool-call-delta' }>): void {
    let call = this.calls.get(delta.index);
    if (!call) {
      const { callIds, step, toolSet, approvals } = this.setting;
      const id = callIds.next(step, this.calls.size, delta.id);
      this.calls.set(delta.index, (call = new CallSegment(id, toolSet, approvals)));
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

  /** Closes a segment. The first text for the user gets the card. */
  private close(segment: Segment, usage: Usage | null, limit?: OutputLimit): void {
    const takes = segment instanceof TextSegment && segment.kind === 'text' && segment.value !== '';
    const card = takes ? this.card : undefined;
    segment.close(usage, card && Object.assign({}, segment.metadata, card.metadata), limit);
    if (!card || segment.messageId === undefined) return;
    this.card = undefined;
    card.announce(segment.messageId);
  }

  /** Closes complete messages that others follow, and opens the next one. */
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
