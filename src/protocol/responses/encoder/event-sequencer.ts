import type { Content, Message } from '../../../events/index.js';

/** One event of a response's stream: its type, and its JSON, which begins with the type and the number. */
export interface ResponseEvent {
  /** The event name of the frame; also a member of `json`. */
  readonly type: string;
  /** The whole event as JSON text, with its `sequence_number`; empty if it was discarded. */
  readonly json: string;
}

/** Numbers the events of a stream from 0 without gaps, and its items (contract responses, section A6). */
export class EventSequencer {
  private events: ResponseEvent[] = [];
  private eventCount = 0;
  private itemCount = 0;
  /** How many events are counted and not written. */
  private discarded = 0;

  /** The `sequence_number` of the last event; -1 before the first. */
  get lastNumber(): number {
    return this.eventCount - 1;
  }

  /** True while the next event is one of those that are only counted. */
  get isDiscarding(): boolean {
    return this.eventCount < this.discarded;
  }

  /** Counts the first events without writing their JSON: their reader has them. */
  discardFirst(events: number): void {
    this.discarded = events;
  }

  /** Appends an event. @param fields those after the type and the number; not empty */
  append(type: string, fields: object): void {
    if (this.isDiscarding) this.discard(type);
    else this.appendJson(type, JSON.stringify(fields).slice(1, -1));
  }

  /** Appends an event whose fields are written already. @param members those of a JSON object, without its braces */
  appendJson(type: string, members: string): void {
    this.events.push({ type, json: `{"type":"${type}","sequence_number":${this.eventCount},${members}}` });
    this.eventCount += 1;
  }

  /** Appends an event without its JSON. Only while `isDiscarding`. */
  discard(type: string): void {
    this.events.push({ type, json: '' });
    this.eventCount += 1;
  }

  /** The `output_index` of the next item. */
  nextIndex(): number {
    this.itemCount += 1;
    return this.itemCount - 1;
  }

  /** The events that were appended since the last call. */
  take(): readonly ResponseEvent[] {
    const { events } = this;
    this.events = [];
    return events;
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
  /** After `close`: appends the last event of the item. @param isCut the item is incomplete, as the run ended at a limit */
  finish(isCut: boolean): void;
}

/**
 * A text of which clients append the pieces. `append` and `replace` return the piece to send. A text that is
 * replaced by one with another beginning has no further pieces: only its `done` event has the whole.
 */
export class AppendOnlyText {
  private sent = '';
  private isBroken = false;

  /** What the pieces add up to. */
  get value(): string {
    return this.sent;
  }

  /** Adds a piece and returns what is to be sent: nothing after a text that contradicts what was sent. */
  append(piece: string): string {
    if (this.isBroken) return '';
    this.sent += piece;
    return piece;
  }

  /** Sets the whole text and returns the rest to be sent; empty if it does not begin with what was sent. */
  replace(whole: string): string {
    if (!whole.startsWith(this.sent)) {
      this.isBroken = true;
      return '';
    }
    const rest = whole.slice(this.sent.length);
    this.sent = whole;
    this.isBroken = false;
    return rest;
  }
}
