import type { Queryable } from '../queryable.js';

/** What sealed text begins with. JSON never does; other text that does is stored behind `PLAIN_MARK`. */
export const SEALED_MARK = 'sealed:1:';
/** Before text that was not sealed and could be mistaken for sealed text. */
const PLAIN_MARK = 'sealed:0:';
/** What both marks have in common. */
const MARKS = 'sealed:';

/** How text is sealed. */
export interface SealOptions {
  /** Makes it shorter before: for long text that is written once and seldom read. */
  readonly compress?: boolean;
}

/** Seals content of one tenant. Null stays null. */
export interface TenantSeal {
  /**
   * JSON text as it is stored.
   *
   * @param place table, column and row that it is stored in, such as `messages.body 12.3`: it opens nowhere else
   */
  json<Text extends string | null>(place: string, text: Text, options?: SealOptions): Text;
  /** Any other text as it is stored. */
  text<Text extends string | null>(place: string, text: Text): Text;
  /** The bytes of a file as they are stored. */
  bytes(place: string, bytes: Buffer): Buffer;
}

/**
 * Encrypts the content that people and models wrote before it is stored, and decrypts it (`DATA_ENCRYPTION_KEYS`; contract
 * access, section 9). What was stored unencrypted is read as it is. Adapters seal and open each column where they write
 * and read it; without the setting everything here returns what it was given.
 */
export abstract class ContentSeals {
  /** Whether content may be encrypted: statements may then have to find the tenant and the row of what they read. */
  abstract readonly isOn: boolean;

  /** Whether new content is encrypted. */
  abstract readonly isSealing: boolean;

  /** Makes the keys of tenants that have none: content of theirs is then encrypted without another statement. */
  abstract prepare(): Promise<void>;

  /**
   * The seal of a tenant; a promise only when this process has not read the tenant's key yet.
   *
   * @param tx where the key is created if the tenant has none; undefined: in a transaction of its own
   */
  abstract of(tenantId: string, tx?: Queryable): TenantSeal | Promise<TenantSeal>;

  /**
   * Runs code that opens content; again, after reading keys, if one was not known to this process. So the code must have
   * no other effects.
   *
   * @throws UnreadableContent what `open` throws
   */
  abstract reading<Result>(open: () => Result): Result | Promise<Result>;

  /**
   * Stored JSON text in the clear. Only within `reading`.
   *
   * @param tenantId of the row that it was read from
   * @param place as in `TenantSeal.json`
   * @throws UnreadableContent
   */
  abstract json<Text extends string | null>(tenantId: string, place: string, stored: Text): Text;

  /** As `json`, for other text. Only within `reading`. @throws UnreadableContent */
  abstract text<Text extends string | null>(tenantId: string, place: string, stored: Text): Text;

  /** The bytes of a file in the clear: their place names the tenant. @throws UnreadableContent */
  abstract bytes(place: string, stored: Buffer): Promise<Buffer>;

  /** Called in the transaction that gives a tenant another id, after its rows have changed. */
  abstract renamed(tx: Queryable, from: string, to: string): Promise<void>;
}

/**
 * Content that is sealed and does not open: it was changed or moved in the database, or its key was destroyed. Never shown
 * to clients; the log has the sentence.
 */
export class UnreadableContent extends Error {
  override readonly name = 'UnreadableContent';

  constructor(place: string, cause: string) {
    super(`The content of ${place} cannot be decrypted: ${cause}`);
  }
}

/** Text that is not sealed, so that it cannot be mistaken for sealed text. */
export function plainText<Text extends string | null>(text: Text): Text {
  return text?.startsWith(MARKS) ? ((PLAIN_MARK + text) as Text) : text;
}

/** The text that `plainText` made; other text as it is. */
export function fromPlainText<Text extends string | null>(stored: Text): Text {
  return stored?.startsWith(PLAIN_MARK) ? (stored.slice(PLAIN_MARK.length) as Text) : stored;
}

/** Stores everything as it is. */
export const PLAIN_SEAL: TenantSeal = {
  json: (_place, text) => text,
  text: (_place, text) => plainText(text),
  bytes: (_place, bytes) => bytes,
};

/** Everything as it is. */
class NoSeals extends ContentSeals {
  readonly isOn = false;
  readonly isSealing = false;

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  of(): TenantSeal {
    return PLAIN_SEAL;
  }

  reading<Result>(open: () => Result): Result {
    return open();
  }

  json<Text extends string | null>(_tenantId: string, _place: string, stored: Text): Text {
    return stored;
  }

  text<Text extends string | null>(_tenantId: string, _place: string, stored: Text): Text {
    return fromPlainText(stored);
  }

  bytes(_place: string, stored: Buffer): Promise<Buffer> {
    return Promise.resolve(stored);
  }

  renamed(): Promise<void> {
    return Promise.resolve();
  }
}

/** For a database whose content is not encrypted. */
export const NO_SEALS: ContentSeals = new NoSeals();
