import type { ServerKey } from '../../config/index.js';
import type { Database } from '../database.js';
import type { Queryable } from '../queryable.js';
import {
  ContentSeals,
  fromPlainText,
  NO_SEALS,
  PLAIN_SEAL,
  SEALED_MARK,
  type SealOptions,
  type TenantSeal,
  UnreadableContent,
} from './content-seals.js';
import type { DataKey } from './data-key.js';
import { DataKeyStore, refuseSealedContent } from './key-store.js';

/** What sealed bytes begin with: no kind of file that is stored does. */
const BYTES_MARK = Buffer.from('\0parley sealed 1\n');
const ID_LENGTH = 16;
/** The id of the key, and base64. */
const SEALED = /^sealed:1:([0-9a-f]{16})\.([A-Za-z0-9+/]+={0,2})$/;

const TENANTS_WITHOUT = `
  SELECT id FROM tenants t WHERE NOT EXISTS (SELECT 1 FROM tenant_data_keys k WHERE k.tenant_id = t.id)`;

/** A key that this process has not read yet. */
class UnknownKey extends Error {
  constructor(
    readonly tenantId: string,
    readonly content: UnreadableContent,
  ) {
    super('The key is not known yet');
  }
}

/** Content of tenants, sealed with their data keys, which this process has in memory. */
export class TenantSeals extends ContentSeals {
  readonly isOn = true;
  /** By tenant: committed keys only, because others may be undone. */
  private readonly keys = new Map<string, DataKey>();
  private readonly seals = new Map<string, TenantSeal>();
  private readonly loads = new Map<string, Promise<DataKey | undefined>>();

  constructor(
    private readonly store: DataKeyStore,
    private readonly database: Database,
    readonly isSealing: boolean,
  ) {
    super();
  }

  /** Reads all keys. @throws StartupError */
  async load(): Promise<void> {
    for (const key of await this.store.all(this.database.read)) this.add(key);
  }

  async prepare(): Promise<void> {
    if (!this.isSealing) return;
    const without = await this.database.read.all<{ id: string }>(TENANTS_WITHOUT);
    if (without.length === 0) return;
    await this.database.write(async (tx) => {
      for (const { id } of without) await this.store.obtain(tx, id);
    });
    await this.load();
  }

  of(tenantId: string, tx?: Queryable): TenantSeal | Promise<TenantSeal> {
    if (!this.isSealing) return PLAIN_SEAL;
    return this.seals.get(tenantId) ?? this.obtain(tenantId, tx);
  }

  reading<Result>(open: () => Result): Result | Promise<Result> {
    try {
      return open();
    } catch (error) {
      if (!(error instanceof UnknownKey)) throw error;
      return this.readAgain(error, open);
    }
  }

  json<Text extends string | null>(tenantId: string, place: string, stored: Text): Text {
    if (!stored?.startsWith(SEALED_MARK)) return stored;
    const [, keyId, body] = SEALED.exec(stored) ?? [];
    if (keyId === undefined || body === undefined) throw new UnreadableContent(place, 'it was changed');
    return this.openText(tenantId, place, keyId, body) as Text;
  }

  text<Text extends string | null>(tenantId: string, place: string, stored: Text): Text {
    return stored?.startsWith(SEALED_MARK) ? this.json(tenantId, place, stored) : fromPlainText(stored);
  }

  async bytes(place: string, stored: Buffer): Promise<Buffer> {
    if (!isSealedFile(stored)) return stored;
    const keyId = stored.subarray(BYTES_MARK.length, BYTES_MARK.length + ID_LENGTH).toString('latin1');
    const known = [...this.keys.values()].find(({ id }) => id === keyId);
    const key = known ?? (await this.store.findById(this.database.forRuns.read, keyId));
    if (!key) throw new UnreadableContent(place, `there is no key ${keyId}`);
    return opened(key, place, stored.subarray(BYTES_MARK.length + ID_LENGTH));
  }

  async renamed(tx: Queryable, from: string, to: string): Promise<void> {
    await this.store.move(tx, from, to);
    this.forget(from);
    this.forget(to);
  }

  /** Forgets a key that was destroyed. */
  forget(tenantId: string): undefined {
    this.keys.delete(tenantId);
    this.seals.delete(tenantId);
  }

  private openText(tenantId: string, place: string, keyId: string, body: string): string {
    return this.open(tenantId, place, keyId, Buffer.from(body, 'base64')).toString('utf8');
  }

  private open(tenantId: string, place: string, keyId: string, sealed: Buffer): Buffer {
    const key = this.keys.get(tenantId);
    if (key?.id !== keyId)
      throw new UnknownKey(
        tenantId,
        new UnreadableContent(place, `its key ${keyId} is not the one of the tenant ${tenantId}`),
      );
    return opened(key, place, sealed);
  }

  private async readAgain<Result>(first: UnknownKey, open: () => Result): Promise<Result> {
    let missing = first;
    for (const tried = new Set<string>(); ; tried.add(missing.tenantId)) {
      if (tried.has(missing.tenantId)) throw missing.content;
      await this.loadOf(missing.tenantId);
      try {
        return open();
      } catch (error) {
        if (!(error instanceof UnknownKey)) throw error;
        missing = error;
      }
    }
  }

  private async obtain(tenantId: string, tx: Queryable | undefined): Promise<TenantSeal> {
    // What the transaction sees may not be committed, and what is committed may be changed by it.
    const obtained = tx && (await this.store.obtain(tx, tenantId));
    const known = await this.loadOf(tenantId);
    if (obtained && known?.id !== obtained.id) this.forget(tenantId);
    const key = obtained ?? known ?? this.add(await this.database.write((own) => this.store.obtain(own, tenantId)));
    return sealOf(key);
  }

  /** What is committed, on the connections for runs: requests may have taken all others. */
  private loadOf(tenantId: string): Promise<DataKey | undefined> {
    let load = this.loads.get(tenantId);
    if (!load) {
      load = this.store
        .find(this.database.forRuns.read, tenantId)
        .then((key) => (key ? this.add(key) : this.forget(tenantId)))
        .finally(() => this.loads.delete(tenantId));
      this.loads.set(tenantId, load);
    }
    return load;
  }

  private add(key: DataKey): DataKey {
    this.keys.set(key.tenantId, key);
    this.seals.set(key.tenantId, sealOf(key));
    return key;
  }
}

/** @throws UnreadableContent */
function opened(key: DataKey, place: string, sealed: Buffer): Buffer {
  const bytes = key.open(place, sealed);
  if (!bytes) throw new UnreadableContent(place, 'it was changed, or belongs to another row');
  return bytes;
}

/** Whether text is sealed, even if it was changed since. */
export function isSealedText(text: string): boolean {
  return text.startsWith(SEALED_MARK);
}

/** Whether bytes are sealed. */
export function isSealedFile(bytes: Buffer): boolean {
  return bytes.subarray(0, BYTES_MARK.length).equals(BYTES_MARK);
}

/**
 * How the content of a database is stored. No key is made before `ContentSeals.prepare` or the first content.
 *
 * @param keys the ring; undefined: as it is
 * @param isSealing false: the ring serves for reading only
 * @throws StartupError if content is encrypted with a key that is not in the ring
 */
export async function openSeals(
  database: Database,
  keys: readonly ServerKey[] | undefined,
  isSealing: boolean,
): Promise<ContentSeals> {
  if (!keys) {
    await refuseSealedContent(database.read);
    return NO_SEALS;
  }
  const seals = new TenantSeals(new DataKeyStore(keys), database, isSealing);
  await seals.load();
  return seals;
}

function sealOf(key: DataKey): TenantSeal {
  const seal = <Text extends string | null>(place: string, text: Text, options?: SealOptions): Text => {
    const plain: string | null = text;
    // An empty object says nothing.
    if (plain === null || plain === '{}') return text;
    return `${SEALED_MARK}${key.id}.${key.seal(place, Buffer.from(plain, 'utf8'), options).toString('base64')}` as Text;
  };
  return {
    json: seal,
    text: (place, text) => seal(place, text),
    bytes: (place, bytes) => Buffer.concat([BYTES_MARK, Buffer.from(key.id, 'latin1'), key.seal(place, bytes)]),
  };
}
