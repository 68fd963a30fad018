import { Injectable } from '@nestjs/common';
import type { FingerprintsByName } from '../../../config/index.js';
import { RunDatabase, DATABASE_NOW, type Queryable } from '../../../database/index.js';
import { type Worker, type WorkerLoad, WorkerRegistry } from '../../ports/worker-registry.js';

/** Any number that no other program uses for a lock in the same database. */
const REGISTRATION_LOCK = 727_301_156;

const COLUMNS = 'id, name, role, version, schema_version, fingerprints, host_id, pid, process_start';

const INSERT = `
  INSERT INTO workers (${COLUMNS}, slots, busy, draining, lease_until, started_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now} + ?, {now})`;

const HEARTBEAT = `
  UPDATE workers SET slots = ?, busy = ?, draining = ?, lease_until = {now} + ? WHERE id = ?`;

const END_OF = `
  SELECT CASE WHEN lease_until < {now} THEN lease_until ELSE {now} END AS until,
    CASE WHEN lease_until < {now} THEN 1 ELSE 0 END AS lost
  FROM workers WHERE id = ?`;

/**
 * The runs lose their owner, so that it is no suspect any more and each row is written once, however long it waits for
 * a slot. A run whose row is locked, perhaps by a transaction of the lost worker, keeps its owner, which then has no
 * row: the next sweep finds it again.
 */
const EXPIRE_RUNS = `
  UPDATE runs SET claimed_at = NULL, lease_owner = NULL, lease_until = 0,
    used_ms = used_ms + CASE WHEN claimed_at IS NULL OR claimed_at > {until} THEN 0 ELSE {until} - claimed_at END
  WHERE no IN (SELECT no FROM runs WHERE lease_owner = ? AND status = 'running'{unlocked})`;

/** How long the removal waits for the row of a worker: the sweep has other work, and comes again. */
const REMOVAL = { lockWaitMs: 500 };

interface WorkerRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly version: string;
  readonly schema_version: string;
  readonly fingerprints: string;
  readonly host_id: string | null;
  readonly pid: number;
  readonly process_start: string | null;
}

/** Workers as rows of a table. */
@Injectable()
export class SqlWorkerRegistry extends WorkerRegistry {
  private readonly now: string;

  constructor(private readonly database: RunDatabase) {
    super();
    this.now = DATABASE_NOW[database.dialect];
  }

  async register(
    worker: Worker,
    load: WorkerLoad,
    leaseMs: number,
    admit: (others: readonly Worker[]) => void,
  ): Promise<void> {
    const { id, name, role, version, schemaVersion, fingerprints, hostId, pid, processStart } = worker;
    const columns = [id, name, role, version, schemaVersion, JSON.stringify(fingerprints), hostId, pid, processStart];
    await this.database.write(async (tx) => {
      if (tx.dialect === 'postgres') await tx.all('SELECT pg_advisory_xact_lock(?)', [REGISTRATION_LOCK]);
      const others = `SELECT ${COLUMNS} FROM workers WHERE lease_until >= {now}`;
      admit((await tx.all<WorkerRow>(this.sql(others))).map(workerOf));
      await tx.run(this.sql(INSERT), [...columns, ...loadValues(load), leaseMs]);
    });
  }

  async heartbeat(id: string, load: WorkerLoad, leaseMs: number): Promise<boolean> {
    const values = [...loadValues(load), leaseMs, id];
    return (await this.database.write((tx) => tx.run(this.sql(HEARTBEAT), values))) > 0;
  }

  async remove(id: string, when: 'lost' | 'always'): Promise<void> {
    await this.database.write(async (tx) => {
      const row = await this.lock(tx, id);
      if (row && row.lost === 0 && when === 'lost') return;
      const until = row ? String(row.until) : this.now;
      const unlocked = tx.dialect === 'postgres' ? ' FOR UPDATE SKIP LOCKED' : '';
      await tx.run(EXPIRE_RUNS.replaceAll('{until}', until).replace('{unlocked}', unlocked), [id]);
      await tx.run('DELETE FROM workers WHERE id = ?', [id]);
    }, REMOVAL);
  }

  /** Its heartbeat waits until the transaction ends. */
  private async lock(tx: Queryable, id: string): Promise<{ until: number; lost: number } | undefined> {
    const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
    const [row] = await tx.all<{ until: number; lost: number }>(this.sql(END_OF) + lock, [id]);
    return row;
  }

  private sql(text: string): string {
    return text.replaceAll('{now}', this.now);
  }
}

function loadValues({ slots, busy, draining }: WorkerLoad): number[] {
  return [slots, busy, draining ? 1 : 0];
}

function workerOf(row: WorkerRow): Worker {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    version: row.version,
    schemaVersion: row.schema_version,
    fingerprints: JSON.parse(row.fingerprints) as FingerprintsByName,
    hostId: row.host_id,
    pid: row.pid,
    processStart: row.process_start,
  };
}
