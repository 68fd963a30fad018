import type { JsonObject } from '../../common/index.js';
import type { Journal, StepRecord } from '../agent.js';

/** The part of a run's journal that one subagent writes: the same keys mean other steps for another subagent. */
export class PartJournal implements Journal {
  constructor(
    private readonly whole: Journal,
    private readonly prefix: string,
  ) {}

  finished(key: string, inputHash: string): StepRecord | undefined {
    return this.whole.finished(this.keyOf(key), inputHash);
  }

  isFinished(key: string): boolean {
    return this.whole.isFinished(this.keyOf(key));
  }

  inDoubt(key: string): boolean {
    return this.whole.inDoubt(this.keyOf(key));
  }

  begin(key: string, inputHash: string): Promise<void> {
    return this.whole.begin(this.keyOf(key), inputHash);
  }

  finish(key: string, inputHash: string, output: JsonObject, messageIds: readonly string[]): void {
    this.whole.finish(this.keyOf(key), inputHash, output, messageIds);
  }

  private keyOf(key: string): string {
    return `${this.prefix}${key}`;
  }
}
