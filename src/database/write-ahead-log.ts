import fs from 'node:fs';
import type { SqliteConnection } from './sqlite-connection.js';

/** The columns of `PRAGMA wal_checkpoint`: the pages in the log, and how many of them are in the database file. */
interface CheckpointRow {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * The write-ahead log of a SQLite file, for `DURABILITY=strict`: forces commits to the disk in a thread of the pool,
 * so that the event loop does not wait for the disk as it would inside SQLite (`synchronous=FULL`).
 *
 * With `synchronous=NORMAL` a commit is written to the log without waiting for the disk. SQLite itself waits in two
 * places: a checkpoint syncs the log before it copies it and the database file after that, and the header of a new
 * log is synced before anything follows it. A commit is therefore on the disk when the log was synced after it, also
 * if a checkpoint came in between.
 *
 * Commits that are not on the disk yet can already be read, in this process and in others. Whoever shows them to a
 * client waits for `durable` first.
 */
export class WriteAheadLog {
  private readonly file: number;
  /** True after a commit that no sync has covered. */
  private isDirty = true;
  /** Changes when another process commits. */
  private version = -1;
  /** The newest sync, while it lasts. */
  private syncing: Promise<void> | undefined;
  /** True after a sync that failed: the kernel may have dropped what it could not write. */
  private isDamaged = false;

  /** @param path the database file */
  constructor(
    path: string,
    private readonly writer: SqliteConnection,
  ) {
    // SQLite creates the log at the first read.
    writer.first('SELECT COUNT(*) AS tables FROM sqlite_master');
    // SQLite has no locks on this file, which closing a descriptor would release.
    this.file = fs.openSync(`${path}-wal`, 'r+');
  }

  /** The writing connection has committed changes. */
  committed(): void {
    this.isDirty = true;
  }

  /**
   * Everything that this process can have read or committed so far is on the disk: undefined if it is already,
   * otherwise a promise.
   *
   * @throws an error with the code SQLITE_IOERR_FSYNC if the disk reports an error
   */
  durable(): Promise<void> | undefined {
    this.noticeOthers();
    if (!this.isDirty) return this.syncing;
    this.isDirty = false;
    const syncing = this.sync().finally(() => {
      if (this.syncing === syncing) this.syncing = undefined;
    });
    // Whoever waits for it gets the error.
    syncing.catch(() => undefined);
    return (this.syncing = syncing);
  }

  /** Waits for the last sync. */
  async close(): Promise<void> {
    await this.syncing?.catch(() => undefined);
    fs.closeSync(this.file);
  }

  /** Commits of other processes can be read before those have synced them. */
  private noticeOthers(): void {
    const { data_version: version } = this.writer.first<{ data_version: number }>('PRAGMA data_version');
    if (version === this.version) return;
    this.version = version;
    this.isDirty = true;
  }

  private async sync(): Promise<void> {
    try {
      if (this.isDamaged) this.checkpoint();
      else
        await new Promise<void>((resolve, reject) =>
          fs.fdatasync(this.file, (error) => (error ? reject(error) : resolve())),
        );
      this.isDamaged = false;
    } catch (cause) {
      this.isDirty = true;
      this.isDamaged = true;
      throw Object.assign(new Error('The log of the database could not be written to the disk', { cause }), {
        code: 'SQLITE_IOERR_FSYNC',
      });
    }
  }

  /**
   * Copies the log to the database file and waits for the disk. After a sync that failed, another one would report
   * success without having written anything.
   */
  private checkpoint(): void {
    const { busy, log, checkpointed } = this.writer.first<CheckpointRow>('PRAGMA wal_checkpoint(PASSIVE)');
    if (busy !== 0 || log !== checkpointed) throw new Error('The checkpoint is not complete');
  }
}
