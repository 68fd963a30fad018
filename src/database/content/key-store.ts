import { StartupError } from '../../common/index.js';
import type { ServerKey } from '../../config/index.js';
import { isMissingTable } from '../database.js';
import type { Queryable } from '../queryable.js';
import { DataKey, type RingKey, ringKey, unwrapped, type WrappedKey } from './data-key.js';

const COLUMNS = 'tenant_id, key_id, kid, wrapped';
const ALL = `SELECT ${COLUMNS} FROM tenant_data_keys`;
const BY_TENANT = `${ALL} WHERE tenant_id = ?`;
const BY_ID = `${ALL} WHERE key_id = ?`;
const INSERT = `
  INSERT INTO tenant_data_keys (tenant_id, key_id, kid, wrapped, created_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id) DO NOTHING`;
/** Compare-and-set: a key that was destroyed meanwhile does not come back. */
const REWRAP = 'UPDATE tenant_data_keys SET kid = ?, wrapped = ? WHERE tenant_id = ? AND key_id = ?';

/** What a start says when a key of the ring is missing. */
const SETTING = 'DATA_ENCRYPTION_KEYS';

/** The rows of `tenant_data_keys`, wrapped by the ring: the first key wraps, all unwrap. */
export class DataKeyStore {
  private readonly ring: readonly RingKey[];
  private readonly first: RingKey;

  /** @param keys at least one */
  constructor(keys: readonly ServerKey[]) {
    this.ring = keys.map(ringKey);
    const [first] = this.ring;
    if (!first) throw new Error('The ring has no key');
    this.first = first;
  }

  /** All keys. @throws StartupError naming what the ring lacks */
  async all(source: Queryable): Promise<readonly DataKey[]> {
    return (await source.all<WrappedKey>(ALL)).map((row) => this.unwrap(row));
  }

  /** @throws StartupError if the ring cannot unwrap it */
  async find(source: Queryable, tenantId: string): Promise<DataKey | undefined> {
    const [row] = await source.all<WrappedKey>(BY_TENANT, [tenantId]);
    return row && this.unwrap(row);
  }

  /** @throws StartupError if the ring cannot unwrap it */
  async findById(source: Queryable, keyId: string): Promise<DataKey | undefined> {
    const [row] = await source.all<WrappedKey>(BY_ID, [keyId]);
    return row && this.unwrap(row);
  }

  /** The key of a tenant, made now if there is none: it counts when the transaction is committed. */
  async obtain(tx: Queryable, tenantId: string): Promise<DataKey> {
    const found = await this.find(tx, tenantId);
    if (found) return found;
    const key = DataKey.random(tenantId);
    const { kid } = this.first;
    await tx.run(INSERT, [tenantId, key.id, kid, key.wrap(kid, this.first.key), Date.now()]);
    // Another process may have been first.
    const obtained = await this.find(tx, tenantId);
    if (!obtained) throw new Error('the data key was neither inserted nor found');
    return obtained;
  }

  /** Wraps a key again, with the first key of the ring. False if the tenant has another key, or none. */
  async rewrap(tx: Queryable, key: DataKey): Promise<boolean> {
    const { kid } = this.first;
    return (await tx.run(REWRAP, [kid, key.wrap(kid, this.first.key), key.tenantId, key.id])) > 0;
  }

  /** Wraps all keys again that another key of the ring has wrapped. Returns how many. */
  async rewrapAll(tx: Queryable): Promise<number> {
    const rows = await tx.all<WrappedKey>(`${ALL} WHERE kid <> ?`, [this.first.kid]);
    for (const row of rows) await this.rewrap(tx, this.unwrap(row));
    return rows.length;
  }

  /** The key of a tenant that has just got another id. */
  async move(tx: Queryable, from: string, to: string): Promise<void> {
    const [row] = await tx.all<WrappedKey>(BY_TENANT, [to]);
    if (row) await this.rewrap(tx, this.unwrap({ ...row, tenant_id: from }).movedTo(to));
  }

  private unwrap(row: WrappedKey): DataKey {
    const { kid, tenant_id: tenantId } = row;
    const wrapper = this.ring.find((one) => one.kid === kid);
    if (!wrapper)
      throw new StartupError(
        `The content of the tenant ${tenantId} is encrypted with the key ${kid}, which ${SETTING} lacks: add it to the list`,
      );
    const key = unwrapped(row, wrapper);
    if (!key)
      throw new StartupError(
        `The data key of the tenant ${tenantId} cannot be unwrapped with the key ${kid} of ${SETTING}: its secret is another one than the one that wrapped it, or the table tenant_data_keys was changed`,
      );
    return key;
  }
}

/** @throws StartupError if content is encrypted, though there is no ring */
export async function refuseSealedContent(source: Queryable): Promise<void> {
  const kid = await sealingKey(source);
  if (kid !== undefined)
    throw new StartupError(
      `The content of this database is encrypted, and ${SETTING} is not set: set it to the list that has the key ${kid}`,
    );
}

/** The key that wraps a data key of this database; undefined if nothing is encrypted. */
async function sealingKey(source: Queryable): Promise<string | undefined> {
  try {
    const [row] = await source.all<Pick<WrappedKey, 'kid'>>('SELECT kid FROM tenant_data_keys LIMIT 1');
    return row?.kid;
  } catch (error) {
    // With MIGRATE=off the table may be missing, and nothing is encrypted.
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}
