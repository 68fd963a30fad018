/** One event of a response's stream: its type, and its JSON with type and number first. */
export interface ResponseEvent {
  readonly type: string;
  readonly json: string;
}

/** Numbers events in the order in which they are written, contiguously from 0. */
export class EventOut {
  private events: ResponseEvent[] = [];
  private count = 0;
  private items = 0;

  /** The number of the last event; -1 before the first. */
  get lastNumber(): number {
    return this.count - 1;
  }

  write(type: string, fields: object): void {
    const head = `{"type":"${type}","sequence_number":${this.count}`;
    this.count += 1;
    const rest = JSON.stringify(fields).slice(1);
    this.events.push({ type, json: rest === '}' ? `${head}}` : `${head},${rest}` });
  }

  /** The place of the next item in the output. */
  nextIndex(): number {
    this.items += 1;
    return this.items - 1;
  }

  /** What was written since the last call. */
  take(): readonly ResponseEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }
}
