import { Worker } from 'node:worker_threads';
import { sqliteDriverPath } from './sqlite-driver.js';

/** After this many changed rows, usually some hundreds of pages, the log is copied to the database file. */
const CHANGES = 500;

/** What a thread gets: the module of the driver, and the database file. */
interface Task {
  readonly driver: string;
  readonly file: string;
}

/** Runs in the thread: a checkpoint for each message, until the message to end. As source text, because specs are not compiled. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const database = new (require(workerData.driver))(workerData.file, { fileMustExist: true });
database.pragma('synchronous = NORMAL');
parentPort.on('message', (message) => {
  if (message === 'end') {
    database.close();
    parentPort.close();
    return;
  }
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // Such as a full disk: the next checkpoint copies what this one did not.
  }
  parentPort.postMessage('done');
});`;

/**
 * Copies the write-ahead log of a SQLite file to the database file in a thread of its own: a checkpoint writes many
 * pages and waits for the disk twice, which would hold up the event loop.
 *
 * A checkpoint that is not complete, because commits continue, leaves the rest to the next one. If none is ever
 * complete or the thread fails, the log grows until SQLite itself copies it after a commit (`wal_autocheckpoint`).
 */
export class Checkpointer {
  private worker: Worker | undefined;
  private changes = 0;
  private isWorking = false;
  private isClosed = false;

  /** @param file the database file; the thread is started when there is something to copy */
  constructor(private readonly file: string) {}

  /** Rows were changed by a commit. */
  committed(changes: number): void {
    this.changes += changes;
    if (this.changes >= CHANGES && !this.isWorking && !this.isClosed) this.work();
  }

  /** Ends the thread, after the checkpoint that it is making. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    worker.postMessage('end');
    await ended;
  }

  private work(): void {
    this.worker ??= this.start();
    this.changes = 0;
    this.isWorking = true;
    this.worker.postMessage('work');
  }

  private start(): Worker {
    const task: Task = { driver: sqliteDriverPath(), file: this.file };
    const worker = new Worker(PROGRAM, { eval: true, workerData: task });
    worker.on('message', () => {
      this.isWorking = false;
      this.committed(0);
    });
    // Without a thread SQLite makes the checkpoints itself.
    worker.on('error', () => (this.isClosed = true));
    worker.on('exit', () => (this.worker = undefined));
    worker.unref();
    return worker;
  }
}
