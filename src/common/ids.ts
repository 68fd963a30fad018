import { randomBytes, randomUUID } from 'node:crypto';

/** Makes identifiers, as a port, so that tests can predict them. */
export abstract class IdFactory {
  /** A new unique id with a prefix for the kind of object: `msg_…`, `response_…`. */
  abstract next(prefix: string): string;

  /** A new UUID of version 7 (RFC 9562) without a prefix. Ids that are made later sort after it. */
  abstract uuid(): string;
}

/** Appends random UUIDs to the prefix. */
export class RandomIds extends IdFactory {
  next(prefix: string): string {
    return `${prefix}${randomUUID()}`;
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

/** 48 bits of milliseconds, the version, the variant, and random bits (RFC 9562, section 5.7). */
function uuidV7(milliseconds: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
