import { AppError, type JsonObject } from '../../common/index.js';
import { type Journal, stateOfStep, type StepRecord } from '../../agent/index.js';
import type { RunWriter } from '../log/run-writer.js';
import type { JournalStep } from '../ports/run-log.js';
import type { MessageCommitter } from './message-committer.js';

/** Before the key of a step that failed: a later attempt that executes it again finds no step with its key. */
const FAILED = 'failed:';

/** The key of the step whose failure a journal records; undefined for any other step. */
export function failedStepKey({ key }: Pick<JournalStep, 'key'>): string | undefined {
  return key.startsWith(FAILED) ? key.slice(FAILED.length) : undefined;
}

/** The journal of one run: the steps of earlier attempts, and those that this one adds. */
export class RunJournal implements Journal {
  private readonly stored: ReadonlyMap<string, JournalStep>;
  /** When the steps of this attempt began: whoever asks for a step that is not finished executes it next. */
  private readonly started = new Map<string, number>();

  constructor(
    private readonly writer: RunWriter,
    steps: readonly JournalStep[],
    private readonly messages: MessageCommitter,
    /** Called before a step begins while no other is in progress; what it throws prevents the step. */
    private readonly checkpoint: () => void = () => undefined,
  ) {
    this.stored = new Map(steps.map((step) => [step.key, step]));
  }

  finished(key: string, inputHash: string): StepRecord | undefined {
    const step = this.stored.get(key);
    if (step && step.inputHash !== inputHash) throw new AppError('JOURNAL_MISMATCH');
    if (step && step.output !== null) return { output: step.output };
    if (this.started.size === 0) this.checkpoint();
    this.started.set(key, this.writer.now);
    return undefined;
  }

  /** True while no step is in progress. */
  get isIdle(): boolean {
    return this.started.size === 0;
  }

  isFinished(key: string): boolean {
    return this.stored.get(key)?.status === 'finished';
  }

  inDoubt(key: string): boolean {
    return this.stored.get(key)?.status === 'begun';
  }

  begunAt(key: string): number | undefined {
    const step = this.stored.get(key);
    return step?.status === 'begun' ? (step.startedAt ?? step.updatedAt ?? 0) : undefined;
  }

  async begin(key: string, inputHash: string): Promise<void> {
    const startedAt = this.startOf(key);
    this.writer.step({ key, status: 'begun', inputHash, output: null, messageIds: [], startedAt });
    await this.writer.flush();
  }

  finish(key: string, inputHash: string, output: JsonObject, messageIds: readonly string[]): void {
    const startedAt = this.startOf(key);
    this.started.delete(key);
    this.writer.step({ key, status: 'finished', inputHash, output, messageIds, startedAt });
    this.writer.append(this.messages.afterStep(messageIds, stateOfStep(output)));
  }

  fail(key: string, inputHash: string, failure: JsonObject): void {
    const startedAt = this.startOf(key);
    this.started.delete(key);
    this.writer.step({ key: FAILED + key, status: 'begun', inputHash, output: failure, messageIds: [], startedAt });
  }

  private startOf(key: string): number {
    return this.started.get(key) ?? this.writer.now;
  }
}
