import { GrowingText, type JsonObject } from '../../common/index.js';
import type { ContentBuilder, MessageBuilder, OutputLimit, ResponseBuilder, Usage } from '../../events/index.js';

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

  /** Creates the message; called once, when the segment is shown. */
  protected abstract open(response: ResponseBuilder): MessageBuilder;
  /** Writes what has arrived before the message was created. */
  protected abstract firstWrite(message: MessageBuilder): ContentBuilder;
  /** Writes a piece that arrives while the message is open. */
  protected abstract writePiece(content: ContentBuilder, piece: string): void;
}

/** Text for the user, reasoning, or a refusal, in which the model declines to answer. */
export class TextSegment extends Segment {
  /** A text needs no check at its end: each piece is valid by itself. */
  readonly isWhole = true;

  constructor(readonly kind: 'text' | 'reasoning' | 'refusal') {
    super();
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
