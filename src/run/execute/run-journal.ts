import { AppError, type JsonObject } from '../../common/index.js';
import type { Journal, StepRecord } from '../../agent/index.js';
import type { RunWriter } from '../log/run-writer.js';
import type { JournalStep } from '../ports/run-log.js';
import type { MessageCommitter } from './message-committer.js';

/** The journal of one run: the steps of earlier attempts, and those that this one adds. */
export class RunJournal implements Journal {
  private readonly stored: ReadonlyMap<string, JournalStep>;

  constructor(
    private readonly writer: RunWriter,
    steps: readonly JournalStep[],
    private readonly messages: MessageCommitter,
  ) {
    this.stored = new Map(steps.map((step) => [step.key, step]));
  }

  finished(key: string, inputHash: string): StepRecord | undefined {
    const step = this.stored.get(key);
    if (!step) return undefined;
    if (step.inputHash !== inputHash) throw new AppError('JOURNAL_MISMATCH');
    return step.output === null ? undefined : { output: step.output };
  }

  isFinished(key: string): boolean {
    return this.stored.get(key)?.status === 'finished';
  }

  inDoubt(key: string): boolean {
    return this.stored.get(key)?.status === 'begun';
  }

  async begin(key: string, inputHash: string): Promise<void> {
    this.writer.step({ key, status: 'begun', inputHash, output: null, messageIds: [] });
    await this.writer.flush();
  }

  finish(key: string, inputHash: string, output: JsonObject, messageIds: readonly string[]): void {
    this.writer.step({ key, status: 'finished', inputHash, output, messageIds });
    this.writer.append(this.messages.afterStep(messageIds));
  }
}
