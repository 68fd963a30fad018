import { randomUUID } from 'node:crypto';

/** Makes identifiers, as a port, so that tests can predict them. */
export abstract class IdFactory {
  /** A new unique id with a prefix for the kind of object: `msg_…`, `response_…`. */
  abstract next(prefix: string): string;

  /** A new UUID of version 7 (RFC 9562) without a prefix. Ids that are made later sort after it. */
  abstract uuid(): string;
}

/**
 * Makes UUIDs of version 7. Ids that are made one after another are neighbours in the indexes of the database, so that a
 * commit changes few pages of them however many rows there are.
 */
export class TimeOrderedIds extends IdFactory {
  next(prefix: string): string {
    return prefix + uuidV7(Date.now());
  }

  uuid(): string {
    return uuidV7(Date.now());
  }
}

/** Counts per prefix: `msg_1`, `msg_2`. For tests and examples. */
export class SequentialIds extends IdFactory {
  private readonly counts = new Map<string, number>();

  next(prefix: string): string {
    const count = (this.counts.get(prefix) ?? 0) + 1;
    this.counts.set(prefix, count);
    return `${prefix}${count}`;
  }

  uuid(): string {
    return `00000000-0000-7000-8000-${this.next('').padStart(12, '0')}`;
  }
}

/** 48 bits of milliseconds, then the version, the variant, and 74 random bits (RFC 9562, section 5.7). */
function uuidV7(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  // Node makes the random bytes of many UUIDs at once.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
