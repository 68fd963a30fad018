import { randomUUID } from 'node:crypto';

/** Makes identifiers, as a port, so that golden streams are exact. */
export abstract class IdFactory {
  /** A new id that nobody has, with a prefix that says what it names: `msg_…`, `response_…`. */
  abstract next(prefix: string): string;
}

/** Random UUIDs behind the prefix. */
export class RandomIds extends IdFactory {
  next(prefix: string): string {
    return `${prefix}${randomUUID()}`;
  }
}

/** Counts up per prefix: `msg_1`, `msg_2`. For tests and examples. */
export class SequentialIds extends IdFactory {
  private readonly counts = new Map<string, number>();

  next(prefix: string): string {
    const count = (this.counts.get(prefix) ?? 0) + 1;
    this.counts.set(prefix, count);
    return `${prefix}${count}`;
  }
}
