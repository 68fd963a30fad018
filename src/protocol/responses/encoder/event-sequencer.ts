import { jsonMembers } from '../../../common/index.js';
import { GrowingText } from '../../../runtime/index.js';
import type { Content, Message } from '../../../events/index.js';
import type { Phase } from '../items/phase.js';

/** How the events of a stream are written around their JSON. */
export interface EventStyle {
  /** What stands before the JSON of an event. @param type the type of the event */
  readonly before: (type: string) => string;
  /** What stands after it. */
  readonly after: string;
}

/** The JSON alone. */
export const BARE: EventStyle = { before: () => '', after: '' };

const NO_EVENTS: readonly string[] = [];

/**
 * Writes the events of a stream, with their numbers from 0 without gaps, and numbers its items (contract responses,
 * section A6). An event is JSON that begins with its type and its `sequence_number`, with the style around it; it is
 * empty if it was discarded.
 */
export class EventSequencer {
  /** Undefined while there are none. */
  private events: string[] | undefined;
  private eventCount = 0;
  private itemCount = 0;
  /** How many events are counted and not written. */
  private discarded = 0;

  constructor(private readonly style: EventStyle = BARE) {}

  /** The `sequence_number` of the last event; -1 before the first. */
  get lastNumber(): number {
    return this.eventCount - 1;
  }

  /** True while the next event is one of those that are only counted. */
  get isDiscarding(): boolean {
    return this.eventCount < this.discarded;
  }

  /** Counts the first events without writing them: their reader has them. */
  discardFirst(events: number): void {
    this.discarded = events;
  }

  /** Appends an event. @param fields those after the type and the number; not empty */
  append(type: string, fields: object): void {
    if (this.isDiscarding) this.discard();
    else this.appendMembers(type, jsonMembers(fields));
  }

  /** Appends an event whose fields are JSON already. @param members those after the type and the number, without braces */
  appendMembers(type: string, members: string): void {
    this.push(`${this.head(type)}${this.eventCount},${this.tail(members)}`);
  }

  /** An event up to its number, for `appendString`. */
  head(type: string): string {
    return [this.style.before(type), '{"type":"', type, '","sequence_number":'].join('');
  }

  /** The end of an event, for `appendString`. @param members the rest of its JSON, without the brace */
  tail(members: string): string {
    return `${members}}${this.style.after}`;
  }

  /**
   * Appends an event that differs from others in its number and one string: made of few parts, because most events of
   * a stream are such.
   *
   * @param middle what stands between the number and the characters of the string
   * @param characters those of the string, as JSON
   */
  appendString(head: string, middle: string, characters: string, tail: string): void {
    this.push(`${head}${this.eventCount}${middle}${characters}${tail}`);
  }

  /** Counts an event without writing it. Only while `isDiscarding`. */
  discard(): void {
    this.push('');
  }

  /** The `output_index` of the next item. */
  nextIndex(): number {
    this.itemCount += 1;
    return this.itemCount - 1;
  }

  /** The events that were appended since the last call. */
  take(): readonly string[] {
    const events = this.events ?? NO_EVENTS;
    this.events = undefined;
    return events;
  }

  private push(event: string): void {
    // Mostly it is the only one, for which a list that has room for more is a waste.
    if (this.events) this.events.push(event);
    else this.events = [event];
    this.eventCount += 1;
  }
}

/** Appends the events of one item while its message grows. */
export interface ItemWriter {
  /** Takes a piece, a whole value or the end of one of the message's contents. */
  content(event: Content): void;
  /** Takes the closing event of the message. */
  close(message: Message): void;
  /** Ends the item as incomplete: its message was discarded, or the run has ended. */
  cut(): void;
}

/** Appends the events of an item that the model writes: text, reasoning, or a call of a client's tool. */
export interface ModelItemWriter extends ItemWriter {
  /**
   * After `close`: appends the last event of the item.
   *
   * @param isCut the item is incomplete, as the run ended at a limit
   * @param phase of a text, as far as it is known
   */
  finish(isCut: boolean, phase?: Phase): void;
}

/**
 * A text of which clients append the pieces. `append` and `replace` return the piece to send. A text that is
 * replaced by one with another beginning has no further pieces: only its `done` event has the whole.
 */
export class AppendOnlyText {
  private readonly sent = new GrowingText();
  private isBroken = false;

  /** What the pieces add up to. */
  get value(): string {
    return this.sent.value;
  }

  /** Adds a piece and returns what is to be sent: nothing after a text that contradicts what was sent. */
  append(piece: string): string {
    if (this.isBroken) return '';
    this.sent.append(piece);
    return piece;
  }

  /** Sets the whole text and returns the rest to be sent; empty if it does not begin with what was sent. */
  replace(whole: string): string {
    const { value: sent } = this.sent;
    // Faster than `startsWith`, character by character.
    if (whole.slice(0, sent.length) !== sent) {
      this.isBroken = true;
      return '';
    }
    this.sent.set(whole);
    this.isBroken = false;
    return whole.slice(sent.length);
  }
}
