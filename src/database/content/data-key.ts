import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** 96 bits are what GCM is specified for. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The first byte of what is sealed, a bit for each way in which it was changed before. */
const DEFLATED = 1;
const HEAD_BYTES = 1 + SALT_BYTES + NONCE_BYTES + TAG_BYTES;
const PURPOSE = 'parley content v1';
/** Keys of other processes that are kept: each start of each process has its own. */
const MOST_SALTS = 256;

/**
 * The data key of a tenant, unwrapped. Each process seals with a key of its own that is derived from it by a random salt,
 * so that the number of random nonces of one key stays far below what GCM allows, however long the data key is used.
 */
export class DataKey {
  private own: { readonly salt: Buffer; readonly key: Buffer } | undefined;
  private readonly derived = new Map<string, Buffer>();

  /**
   * @param id random, in the clear on everything that is sealed
   * @param tenantId of the tenant that it belongs to
   * @param secret 32 bytes
   */
  constructor(
    readonly id: string,
    readonly tenantId: string,
    private readonly secret: Buffer,
  ) {}

  /** A new key for a tenant. */
  static random(tenantId: string): DataKey {
    return new DataKey(randomBytes(8).toString('hex'), tenantId, randomBytes(KEY_BYTES));
  }

  /** @param place what the bytes belong to: they open nowhere else */
  seal(place: string, bytes: Buffer, { compress = false }: { readonly compress?: boolean } = {}): Buffer {
    this.own ??= this.ownKey();
    const { salt, key } = this.own;
    const nonce = randomBytes(NONCE_BYTES);
    const flags = Buffer.of(compress ? DEFLATED : 0);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(this.context(flags, place));
    const sealed = cipher.update(compress ? deflateRawSync(bytes) : bytes);
    const rest = cipher.final();
    return Buffer.concat([flags, salt, nonce, cipher.getAuthTag(), sealed, rest]);
  }

  /** What was sealed for a place; undefined if it was changed, or sealed for another place. */
  open(place: string, sealed: Buffer): Buffer | undefined {
    if (sealed.length < HEAD_BYTES) return undefined;
    const flags = sealed.subarray(0, 1);
    const salt = sealed.subarray(1, 1 + SALT_BYTES);
    const nonce = sealed.subarray(1 + SALT_BYTES, 1 + SALT_BYTES + NONCE_BYTES);
    const tag = sealed.subarray(HEAD_BYTES - TAG_BYTES, HEAD_BYTES);
    try {
      const decipher = createDecipheriv(ALGORITHM, this.keyOf(salt), nonce, { authTagLength: TAG_BYTES })
        .setAAD(this.context(flags, place))
        .setAuthTag(tag);
      const first = decipher.update(sealed.subarray(HEAD_BYTES));
      const rest = decipher.final();
      const bytes = rest.length === 0 ? first : Buffer.concat([first, rest]);
      return flags[0] === DEFLATED ? inflateRawSync(bytes) : bytes;
    } catch {
      return undefined;
    }
  }

  /** The secret, encrypted with a key of the ring, as text: bound to the tenant and the id. */
  wrap(kid: string, ringKey: Buffer): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, ringKey, nonce).setAAD(wrapContext(this.tenantId, this.id, kid));
    const wrapped = Buffer.concat([cipher.update(this.secret), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), wrapped]).toString('base64');
  }

  /** The same key for another tenant: everything that it has sealed is that tenant's. */
  movedTo(tenantId: string): DataKey {
    return new DataKey(this.id, tenantId, this.secret);
  }

  private ownKey(): { readonly salt: Buffer; readonly key: Buffer } {
    const salt = randomBytes(SALT_BYTES);
    return { salt, key: this.keyOf(salt) };
  }

  private keyOf(salt: Buffer): Buffer {
    const name = salt.toString('base64');
    let key = this.derived.get(name);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', this.secret, salt, PURPOSE, KEY_BYTES));
      if (this.derived.size >= MOST_SALTS) this.derived.clear();
      this.derived.set(name, key);
    }
    return key;
  }

  private context(flags: Buffer, place: string): Buffer {
    return Buffer.concat([flags, Buffer.from(`${this.id} ${place}`, 'utf8')]);
  }
}

/** A key of the ring, ready to wrap data keys. */
export interface RingKey {
  readonly kid: string;
  readonly key: Buffer;
}

/** Secrets may have any length; for another purpose the same secret gives another key. */
export function ringKey({ kid, secret }: { readonly kid: string; readonly secret: string }): RingKey {
  return { kid, key: Buffer.from(hkdfSync('sha256', secret, '', 'parley data keys v1', KEY_BYTES)) };
}

/** A row of `tenant_data_keys`. */
export interface WrappedKey {
  readonly tenant_id: string;
  readonly key_id: string;
  readonly kid: string;
  readonly wrapped: string;
}

/** The key of a row; undefined if this key of the ring has not wrapped it, or the row was changed. */
export function unwrapped({ tenant_id, key_id, kid, wrapped }: WrappedKey, { key }: RingKey): DataKey | undefined {
  const bytes = Buffer.from(wrapped, 'base64');
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(wrapContext(tenant_id, key_id, kid))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const secret = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return secret.length === KEY_BYTES ? new DataKey(key_id, tenant_id, secret) : undefined;
  } catch {
    return undefined;
  }
}

function wrapContext(tenantId: string, keyId: string, kid: string): Buffer {
  return Buffer.from(JSON.stringify(['tenant_data_keys', 1, tenantId, keyId, kid]), 'utf8');
}
