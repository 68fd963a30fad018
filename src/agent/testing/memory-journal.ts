import { AppError, type JsonObject } from '../../common/index.js';
import type { Journal, StepRecord } from '../agent.js';

interface Entry {
  readonly key: string;
  readonly inputHash: string;
  readonly output: JsonObject | undefined;
  readonly messageIds: readonly string[];
  /** When the step began, in milliseconds of the epoch. */
  readonly begunAt?: number;
}

/** Thrown in place of a worker that dies. */
export class Crash extends Error {}

/** A journal in memory that can lose its worker before any of its writes. */
export class MemoryJournal implements Journal {
  readonly writes: Entry[];

  /** @param earlier what earlier attempts wrote @param crashAfter writes of this attempt that are kept */
  constructor(
    earlier: readonly Entry[] = [],
    private crashAfter = Number.POSITIVE_INFINITY,
  ) {
    this.writes = [...earlier];
    this.earlier = earlier.length;
  }

  private readonly earlier: number;

  /** Finished keys in the order they were finished. */
  get finishedKeys(): string[] {
    return this.writes.filter((entry) => entry.output).map((entry) => entry.key);
  }

  /** The messages that stand when the run is resumed. */
  get keptMessageIds(): ReadonlySet<string> {
    return new Set(this.writes.flatMap((entry) => entry.messageIds));
  }

  finished(key: string, inputHash: string): StepRecord | undefined {
    const entry = this.writes.slice(0, this.earlier).findLast((candidate) => candidate.key === key);
    if (entry && entry.inputHash !== inputHash) throw new AppError('JOURNAL_MISMATCH');
    return entry?.output ? { output: entry.output } : undefined;
  }

  isFinished(key: string): boolean {
    return this.writes.slice(0, this.earlier).some((entry) => entry.key === key && entry.output);
  }

  inDoubt(key: string): boolean {
    const entries = this.writes.slice(0, this.earlier).filter((entry) => entry.key === key);
    return entries.length > 0 && !entries.some((entry) => entry.output);
  }

  begunAt(key: string): number | undefined {
    if (!this.inDoubt(key)) return undefined;
    return this.writes.slice(0, this.earlier).find((entry) => entry.key === key)?.begunAt;
  }

  async begin(key: string, inputHash: string): Promise<void> {
    this.write({ key, inputHash, output: undefined, messageIds: [], begunAt: Date.now() });
    await Promise.resolve();
  }

  finish(key: string, inputHash: string, output: JsonObject, messageIds: readonly string[]): void {
    this.write({ key, inputHash, output: JSON.parse(JSON.stringify(output)) as JsonObject, messageIds });
  }

  /** Nothing reads it again. */
  fail(): void {
    return;
  }

  private write(entry: Entry): void {
    if (this.crashAfter <= 0) throw new Crash('The worker is gone');
    this.crashAfter -= 1;
    if (entry.output && this.finishedKeys.includes(entry.key)) throw new Error(`Step ${entry.key} was repeated`);
    this.writes.push(entry);
  }
}
