import { restOf } from './json-fields.js';
import type { RemoteWriter } from './remote-writer.js';

/**
 * The text of a message that comes in several parts, which are shown as one text, in their order. What does not go on with
 * what was shown waits until the message is whole: then it begins anew, as another message.
 */
export class PartedText {
  private readonly parts = new Map<number, string>();
  private latest = 0;
  private shown = '';
  private version = 0;
  /** True once something came that is not behind what was shown. */
  private isBroken = false;

  /** @param name the key of the message at the writer, until it begins anew */
  constructor(
    private readonly name: string,
    private readonly kind: 'text' | 'reasoning' | 'refusal',
  ) {}

  /** The key of the message at the writer. */
  get key(): string {
    return this.version === 0 ? this.name : `${this.name}:${this.version}`;
  }

  /** True once any of it is known. */
  get hasBegun(): boolean {
    return this.parts.size > 0;
  }

  /** Whether a whole text may be this one, of which something was shown. */
  agrees(whole: string): boolean {
    return this.shown !== '' && (restOf(whole, this.shown) !== undefined || this.has(whole));
  }

  /** Appends to a part. @param index of the part; without one it is the latest */
  add(piece: string, writer: RemoteWriter, index = this.latest): void {
    this.parts.set(index, (this.parts.get(index) ?? '') + piece);
    if (piece === '') return;
    this.isBroken ||= index < this.latest;
    if (this.isBroken) return;
    this.latest = index;
    this.shown += piece;
    writer.text(this.key, this.kind, piece);
  }

  /** A part as it should be now: the rest of it is appended. One that is other than it was is left for `finish`. */
  complete(text: string, writer: RemoteWriter, index = this.latest): void {
    const rest = restOf(text, this.parts.get(index) ?? '');
    if (rest !== undefined && rest !== '') this.add(rest, writer, index);
  }

  /** A part as it is so far, which may have changed. */
  replace(text: string, writer: RemoteWriter, index = this.latest): void {
    const before = this.parts.get(index) ?? '';
    if (before.startsWith(text)) return;
    if (restOf(text, before) !== undefined) return this.complete(text, writer, index);
    this.parts.set(index, text);
    this.isBroken = true;
  }

  /** All parts are known. @param whole the whole text; without one it is what the parts are */
  finish(writer: RemoteWriter, whole = this.joined()): void {
    const rest = restOf(whole, this.shown);
    if (rest === undefined) {
      if (this.has(whole)) return;
      writer.end(this.key);
      this.version += 1;
    }
    this.shown = whole;
    const piece = rest ?? whole;
    if (piece !== '') writer.text(this.key, this.kind, piece);
  }

  /** What was shown was taken back. */
  forget(): void {
    this.parts.clear();
    this.latest = 0;
    this.shown = '';
    this.isBroken = false;
  }

  private has(whole: string): boolean {
    return withoutHalves(this.shown).includes(withoutHalves(whole));
  }

  private joined(): string {
    return [...this.parts]
      .sort(([one], [other]) => one - other)
      .map(([, text]) => text)
      .join('');
  }
}

/** A text without halves of characters that stayed alone: they make no other text of it. */
function withoutHalves(text: string): string {
  return text.toWellFormed().replaceAll('\uFFFD', '');
}
