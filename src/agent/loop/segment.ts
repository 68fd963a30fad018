import { type JsonObject } from '../../common/index.js';
import { GrowingText } from '../../runtime/index.js';
import {
  type Citation,
  CITATIONS,
  type ContentBuilder,
  type MessageBuilder,
  type OutputLimit,
  type ResponseBuilder,
  type Usage,
} from '../../events/index.js';

/** Stands for a half of a character that stays alone. */
const REPLACEMENT = '\uFFFD';

/**
 * One message of a model's answer while it is streamed. It buffers its text until it is activated, and then
 * writes every delta immediately.
 */
export abstract class Segment {
  private readonly text = new GrowingText();
  /** The first half of a character whose second half is in the next delta; otherwise empty. */
  private half = '';
  private message: MessageBuilder | undefined;
  private content: ContentBuilder | undefined;

  /** The text so far: of the answer, of the reasoning, or of the arguments. */
  get value(): string {
    return this.text.value;
  }

  /** The text so far as it came, with half of a character that waits for the other one. */
  get received(): string {
    return this.value + this.half;
  }

  /** Undefined until the segment is shown. */
  get messageId(): string | undefined {
    return this.message?.id;
  }

  /** True once its message is complete. */
  get isClosed(): boolean {
    return this.message?.isClosed ?? false;
  }

  /** True if the segment is complete although the answer continues. */
  abstract readonly isWhole: boolean;

  /** True if the message can be opened. */
  get isReady(): boolean {
    return true;
  }

  /**
   * Appends a delta. A delta for a closed segment is dropped; only invalid streams contain one. Some servers cut
   * between the two halves of a surrogate pair: the first half waits for the second one, because half a
   * character cannot be sent as UTF-8.
   */
  append(delta: string): void {
    if (this.isClosed) return;
    this.write(this.half === '' && delta.isWellFormed() ? delta : this.wholeCharacters(delta));
  }

  /** Opens the message and writes the buffered text. Repeated calls have no effect. */
  activate(response: ResponseBuilder): void {
    if (this.message) return;
    this.message = this.open(response);
    const metadata = this.opening();
    this.message.created(metadata ? { metadata } : {});
    this.message.inProgress();
    this.content = this.firstWrite(this.message);
  }

  /**
   * Closes the message.
   *
   * @param usage of the model call, for the last message of a step
   * @param stored metadata of the message
   * @param limit the limit that has cut the message; it is then closed as incomplete
   */
  close(usage: Usage | null = null, stored?: JsonObject, limit?: OutputLimit): void {
    if (this.half !== '') this.write(REPLACEMENT);
    this.half = '';
    if (this.message) this.complement(this.message);
    const metadata = stored ?? this.closing() ?? null;
    if (limit) this.message?.incomplete({ usage, metadata, code: limit });
    else this.message?.complete({ usage, metadata });
  }

  /** Adds a piece of whole characters. */
  protected write(piece: string): void {
    this.text.append(piece);
    if (this.content && piece !== '') this.writePiece(this.content, piece);
  }

  /** The whole characters of what waits and a delta; a half that remains at the end waits. */
  private wholeCharacters(delta: string): string {
    const text = this.half + delta;
    this.half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
    return text.slice(0, text.length - this.half.length).toWellFormed();
  }

  /** Metadata of the message from its start. */
  protected opening(): JsonObject | undefined {
    return undefined;
  }

  /** Metadata of the closed message. */
  protected closing(): JsonObject | undefined {
    return undefined;
  }

  /** Adds contents to the message before it is closed. */
  protected complement(_message: MessageBuilder): void {
    // Most messages have one content.
  }

  /** What the closed message would have by itself. */
  get metadata(): JsonObject | undefined {
    return this.closing();
  }

  /** Creates the message; called once, when the segment is shown. */
  protected abstract open(response: ResponseBuilder): MessageBuilder;
  /** Writes what has arrived before the message was created. */
  protected abstract firstWrite(message: MessageBuilder): ContentBuilder;
  /** Writes a piece that arrives while the message is open. */
  protected abstract writePiece(content: ContentBuilder, piece: string): void;
}

/** A source that a text rests on, and the part of the text; the indexes may be outside of it. */
export interface CitedSource {
  readonly url: string;
  readonly title?: string | undefined;
  readonly startIndex?: number | undefined;
  readonly endIndex?: number | undefined;
}

/** Text for the user, reasoning, or a refusal, in which the model declines to answer. */
export class TextSegment extends Segment {
  /** A text needs no check at its end: each piece is valid by itself. */
  readonly isWhole = true;
  private readonly citations: Citation[] = [];
  private readonly images: string[] = [];

  constructor(readonly kind: 'text' | 'reasoning' | 'refusal') {
    super();
  }

  /** Adds an image, by its address or as a `data:` URL. It is shown after the text. */
  show(url: string): void {
    this.images.push(url);
  }

  /**
   * Adds a source. Without indexes it is at the end of the text so far, once for each address: providers do not say where
   * the part begins that rests on it.
   */
  cite({ url, title = url, startIndex, endIndex }: CitedSource): void {
    const { length } = this.value;
    if (startIndex === undefined && this.citations.some((one) => one.url === url)) return;
    this.citations.push({ url, title, start_index: startIndex ?? length, end_index: endIndex ?? length });
  }

  protected override complement(message: MessageBuilder): void {
    for (const url of this.images) message.createContentBuilder('image').setImageUrl(url);
  }

  protected override closing(): JsonObject | undefined {
    if (this.citations.length === 0) return undefined;
    const inText = (index: number): number => Math.min(Math.max(index, 0), this.value.length);
    const shown = this.citations.map(({ url, title, start_index: start, end_index: end }) => {
      return { url, title, start_index: inText(start), end_index: inText(end) };
    });
    return { [CITATIONS]: shown };
  }

  protected open(response: ResponseBuilder): MessageBuilder {
    return response.createMessageBuilder('assistant', this.kind === 'reasoning' ? 'reasoning' : 'message');
  }

  protected firstWrite(message: MessageBuilder): ContentBuilder {
    const content = message.createContentBuilder(this.kind === 'refusal' ? 'refusal' : 'text');
    this.writePiece(content, this.value);
    return content;
  }

  protected writePiece(content: ContentBuilder, piece: string): void {
    if (this.kind === 'refusal') content.addRefusalDelta(piece);
    else content.addTextDelta(piece);
  }
}
