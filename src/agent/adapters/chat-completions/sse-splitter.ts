import { UpstreamStreamError } from '../upstream/upstream-error.js';

const LF = 10;
const CR = 13;
const BACKSLASH = 92;
const NOTHING = Buffer.alloc(0);

/** Events that are alike: one line of data with this beginning and end, and the characters of a JSON string between them. */
export interface EventForm {
  /** Ends with the quotation mark before the string. Undefined if no form is known. */
  readonly head: string | undefined;
  /** Begins with the quotation mark after the string. */
  readonly tail: string;
  /** The string with these characters; undefined if they are none, or the event must be read otherwise. */
  textOf(characters: string): string | undefined;
}

/**
 * Splits the bytes of an event stream into the data of its events, as the standard defines it (WHATWG
 * HTML, 9.2): LF, CRLF and CR end a line, `data` lines of one event are joined, comments and other fields
 * are skipped. Bytes are decoded up to the last line end, so that characters may be cut anywhere.
 *
 * @throws UpstreamStreamError for a line or an event above the limit
 */
export class SseSplitter {
  /** The `event` field of the event that `next` has returned last; empty when it had none. */
  eventName = '';
  private text = '';
  private at = 0;
  /** The bytes after the last line end. */
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private data: string | undefined;
  private name = '';
  /** How the last line of data began. */
  private field = 'data: ';
  private isFirst = true;
  private endedWithCr = false;

  /** @param limit the longest line in bytes, and the longest data of an event in characters */
  constructor(private readonly limit = 16 * 1024 * 1024) {}

  /** Adds bytes. To be called when `next` has returned undefined. */
  push(bytes: Buffer): void {
    const chunk = this.endedWithCr && bytes[0] === LF ? bytes.subarray(1) : bytes;
    if (bytes.length > 0) this.endedWithCr = false;
    const end = Math.max(chunk.lastIndexOf(LF), chunk.lastIndexOf(CR)) + 1;
    if (end === 0) {
      this.keep(chunk);
      return;
    }
    this.endedWithCr = end === chunk.length && chunk[end - 1] === CR;
    const lines = chunk.subarray(0, end);
    this.read(this.tail.length === 0 ? lines : Buffer.concat([...this.tail, lines]));
    this.tail = [];
    this.tailBytes = 0;
    if (end < chunk.length) this.keep(chunk.subarray(end));
  }

  /** No bytes follow: what is there counts as a whole line of a whole event. */
  end(): void {
    const rest = this.tail.length === 0 ? NOTHING : Buffer.concat(this.tail);
    this.tail = [];
    this.read(Buffer.concat([rest, Buffer.from('\n\n')]));
  }

  /** The data of the next whole event, or undefined when more bytes are needed. */
  next(): string | undefined {
    while (this.at < this.text.length) {
      const start = this.at;
      const end = this.text.indexOf('\n', start);
      this.at = end + 1;
      if (end > start) this.readLine(start, end);
      else if (this.data !== undefined) return this.dispatch(this.data);
      else this.name = '';
    }
    // It may be long until more bytes come.
    this.text = '';
    this.at = 0;
    return undefined;
  }

  /** The strings of the next events that have this form, `most` at most; empty if the next one has not. */
  nextAlike(form: EventForm, most: number): readonly string[] {
    const { text } = this;
    const texts: string[] = [];
    if (form.head === undefined || this.data !== undefined || this.name !== '') return texts;
    const opening = `${this.field}${form.head}`;
    const closing = `${form.tail}\n\n`;
    let from = this.at + opening.length;
    // A slice is compared many times faster than `startsWith` does it.
    if (text.slice(this.at, from) !== opening) return texts;
    const between = closing + opening;
    for (let isFollowed = true; isFollowed && texts.length < most;) {
      const to = endOfString(text, from);
      isFollowed = text.slice(to, to + between.length) === between;
      if (!isFollowed && text.slice(to, to + closing.length) !== closing) break;
      const value = form.textOf(text.slice(from, to));
      if (value === undefined) break;
      texts.push(value);
      this.at = to + closing.length;
      from = to + between.length;
    }
    if (texts.length > 0) this.eventName = '';
    return copied(texts);
  }

  /** Ends an event: its name applies to this event only. */
  private dispatch(data: string): string {
    this.eventName = this.name;
    this.name = '';
    this.data = undefined;
    return data;
  }

  private readLine(start: number, end: number): void {
    if (this.text.startsWith('data', start)) {
      this.field = this.text[start + 5] === ' ' ? 'data: ' : 'data:';
      this.readData(this.valueOf(start + 4, end));
    } else if (this.text.startsWith('event', start)) this.name = this.valueOf(start + 5, end) ?? this.name;
  }

  /** Several `data` lines of one event are joined by line breaks. */
  private readData(value: string | undefined): void {
    if (value === undefined) return;
    this.data = this.data === undefined ? value : `${this.data}\n${value}`;
    if (this.data.length > this.limit) throw tooLong();
  }

  /** The value of a field whose name ends at `at`; undefined when the name of the line's field is longer. */
  private valueOf(at: number, end: number): string | undefined {
    if (at === end) return '';
    if (this.text[at] !== ':') return undefined;
    return this.text.slice(this.text[at + 1] === ' ' ? at + 2 : at + 1, end);
  }

  /** A byte order mark is allowed at the beginning, and all three kinds of line ends everywhere. */
  private read(lines: Buffer): void {
    let text = lines.toString('utf8');
    if (this.isFirst && text.startsWith('\uFEFF')) text = text.slice(1);
    this.isFirst = false;
    this.text = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    this.at = 0;
  }

  private keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.tail.push(bytes);
    this.tailBytes += bytes.length;
    if (this.tailBytes > this.limit) throw tooLong();
  }
}

/** Where the quotation mark is that ends a JSON string, if it is one; the end of the text if there is none. */
function endOfString(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at > from && text.charCodeAt(at - 1) === BACKSLASH) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

/** The same strings. A part of a text keeps the whole of it in memory, which is ten times as much: these keep each other. */
function copied(texts: readonly string[]): readonly string[] {
  // Joined to something else, even a single text is copied.
  const all = ` ${texts.join('')}`;
  let at = 1;
  return texts.map(({ length }) => all.slice(at, (at += length)));
}

function tooLong(): UpstreamStreamError {
  const cause = new Error('A line of the event stream is too long');
  return new UpstreamStreamError(cause, 'The answer of the model server is too long');
}
