import { jsonCharacters, jsonMembers, type JsonObject } from '../../../common/index.js';
import { type Content, isTerminalStatus, type Message } from '../../../events/index.js';
import { partText } from '../../openai/index.js';
import { itemIdOf } from '../items/item-ids.js';
import type { ItemStatus, MessageItem, OutputPart, ReasoningItem, SummaryPart } from '../items/item.types.js';
import type { Phase } from '../items/phase.js';
import { annotationsOf, itemStatus, summaryPart, textPart } from '../items/make-item.js';
import { AppendOnlyText, type EventSequencer, type ModelItemWriter } from './event-sequencer.js';

/** How the parts of an item are written: the types and fields of their events. */
export interface PartStyle<Part> {
  /** The field with the position of the part in its item. */
  readonly index: 'content_index' | 'summary_index';
  /** The types of the events, in the order in which they are written. */
  readonly added: string;
  readonly delta: string;
  readonly done: string;
  readonly partDone: string;
  /** The field of the `done` event with the whole text. */
  readonly whole: 'text' | 'refusal';
  /** Further fields of `delta` and `done`. */
  readonly extra: object;
  /** The part with its whole text. @param annotations its sources */
  part(value: string, annotations?: readonly JsonObject[]): Part;
}

/** Parts of a message, as text. */
const TEXT: PartStyle<OutputPart> = {
  index: 'content_index',
  added: 'response.content_part.added',
  delta: 'response.output_text.delta',
  done: 'response.output_text.done',
  partDone: 'response.content_part.done',
  whole: 'text',
  extra: { logprobs: [] },
  part: textPart,
};
/** Parts of a message in which the model declines to answer. */
const REFUSAL: PartStyle<OutputPart> = {
  ...TEXT,
  delta: 'response.refusal.delta',
  done: 'response.refusal.done',
  whole: 'refusal',
  extra: {},
  part: (refusal) => ({ type: 'refusal', refusal }),
};
/** Parts of a reasoning item. */
const SUMMARY: PartStyle<SummaryPart> = {
  index: 'summary_index',
  added: 'response.reasoning_summary_part.added',
  delta: 'response.reasoning_summary_text.delta',
  done: 'response.reasoning_summary_text.done',
  partDone: 'response.reasoning_summary_part.done',
  whole: 'text',
  extra: {},
  part: summaryPart,
};

/** Writes one part of an item while it grows. */
class PartWriter<Part> {
  private readonly text = new AppendOnlyText();
  private done: Part | undefined;
  /** The whole text, once its content is complete: what follows it may still say what it cites. */
  private whole: string | undefined;
  /** A delta up to its number, from there to its text, and after it. */
  private readonly deltaHead: string;
  private readonly deltaMiddle: string;
  private readonly deltaTail: string;

  constructor(
    private readonly out: EventSequencer,
    private readonly style: PartStyle<Part>,
    private readonly place: object,
  ) {
    this.deltaHead = out.head(style.delta);
    this.deltaMiddle = `,${jsonMembers(place)},"delta":"`;
    const extra = jsonMembers(style.extra);
    this.deltaTail = out.tail(extra === '' ? '"' : `",${extra}`);
    this.write(style.added, { part: style.part('') });
  }

  /** False once `done` was written. */
  get isOpen(): boolean {
    return this.done === undefined;
  }

  /** True if its content is complete and `done` is not written yet. */
  get isWhole(): boolean {
    return this.isOpen && this.whole !== undefined;
  }

  /** The part as it is so far. */
  get value(): Part {
    return this.done ?? this.style.part(this.whole ?? this.text.value);
  }

  /** Appends a piece, or completes the part with the whole content. */
  content(event: Content): void {
    if (!this.isOpen || this.whole !== undefined) return;
    const isOver = isTerminalStatus(event.status);
    // Other contents are written when they are complete: a part of a URL is of no use.
    const isText = event.type === 'text' || event.type === 'refusal';
    if (isText || isOver) {
      const value = partText(event);
      this.appendDelta(event.delta === true && !isOver ? this.text.append(value) : this.text.replace(value));
      if (isOver) this.whole = value;
    }
  }

  /** Ends the part with the whole text, or with what was sent of it. @param annotations its sources */
  end(annotations: readonly JsonObject[] = []): void {
    if (!this.isOpen) return;
    const { style, whole = this.text.value } = this;
    annotations.forEach((annotation, at) => {
      this.write('response.output_text.annotation.added', { annotation_index: at, annotation });
    });
    this.write(style.done, { [style.whole]: whole, ...style.extra });
    this.done = style.part(whole, annotations);
    this.write(style.partDone, { part: this.done });
  }

  private appendDelta(delta: string): void {
    if (delta === '') return;
    const { out } = this;
    // Most events are deltas, so only their text is encoded each time.
    if (out.isDiscarding) out.discard();
    else out.appendString(this.deltaHead, this.deltaMiddle, jsonCharacters(delta), this.deltaTail);
  }

  private write(type: string, fields: object): void {
    this.out.append(type, Object.assign({}, this.place, fields));
  }
}

/** Writes a message or a reasoning item: an item that consists of parts with text. */
export class TextWriter implements ModelItemWriter {
  private readonly id: string;
  private readonly index: number;
  private readonly parts: PartWriter<OutputPart | SummaryPart>[] = [];
  private closed: ItemStatus = 'incomplete';
  private isOver = false;

  constructor(
    private readonly out: EventSequencer,
    private readonly message: Message,
    id?: string,
  ) {
    this.id = id ?? itemIdOf(message);
    this.index = out.nextIndex();
    out.append('response.output_item.added', { output_index: this.index, item: this.item('in_progress') });
  }

  /** Appends to the part at the content's index; creates the part if needed. */
  content(event: Content): void {
    const slot = event.index ?? 0;
    if (!this.parts[slot]) {
      for (const part of this.parts) if (part?.isWhole) part.end();
      this.parts[slot] = this.newPart(slot, event.type);
    }
    this.parts[slot].content(event);
  }

  /** Writes the contents that were not streamed and ends the parts; the item stays open until `finish`. */
  close(message: Message): void {
    for (const [slot, content] of (message.content ?? []).entries()) {
      if (this.parts[slot]?.isOpen !== false)
        this.content({ ...content, index: slot, status: 'completed', delta: false });
    }
    const isText = this.message.type === 'message' && message.content?.[0]?.type === 'text';
    this.parts.forEach((part, at) => part.end(isText && at === 0 ? annotationsOf(message) : []));
    this.closed = itemStatus(message.status, true);
  }

  /** Ends the item as incomplete. */
  cut(): void {
    this.finish(true);
  }

  /** Ends the item once, as incomplete if it was cut: then it has no phase. */
  finish(isCut: boolean, phase?: Phase): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const part of this.parts) part.end();
    const status = isCut ? 'incomplete' : this.closed;
    const item = this.item(status, status === 'completed' ? phase : undefined);
    this.out.append('response.output_item.done', { output_index: this.index, item });
  }

  /** The style follows from the message's type and, within a message, from the content's. */
  private newPart(slot: number, type: Content['type']): PartWriter<OutputPart | SummaryPart> {
    const style: PartStyle<OutputPart | SummaryPart> =
      this.message.type === 'reasoning' ? SUMMARY : type === 'refusal' ? REFUSAL : TEXT;
    return new PartWriter(this.out, style, { item_id: this.id, output_index: this.index, [style.index]: slot });
  }

  private item(status: ItemStatus, phase?: Phase): MessageItem | ReasoningItem {
    const values = this.parts.map((part) => part.value);
    if (this.message.type === 'reasoning') {
      return { id: this.id, type: 'reasoning', status, summary: values as SummaryPart[] };
    }
    const role = this.message.role ?? 'assistant';
    const content = values as OutputPart[];
    return { id: this.id, type: 'message', status, role, content, ...(phase !== undefined && { phase }) };
  }
}
