import { textLog } from '../../../../test/support/scripted-log.js';
import { type AbortLike, AppError, type Principal, type Reach } from '../../../common/index.js';
import type { AgentResponse, LoggedEvent } from '../../../events/index.js';
import type { Runs, RunView, TailOptions } from '../../../run/index.js';

/** The calls of `Runs` that streams are made of. */
type StreamedRuns = Pick<Runs, 'cancel' | 'list' | 'next' | 'response' | 'tail' | 'view'>;

/** The runs of one session in memory. Tests write their logs, stop the server and break the log. */
export class MemoryRuns implements StreamedRuns {
  /** The runs whose cancel was requested. */
  readonly canceled: string[] = [];
  /** Set: reading a log throws it, once the events there are were read. */
  failure: Error | undefined;
  private readonly logs = new Map<string, LoggedEvent[]>();
  private isStopped = false;
  private wake: (() => void)[] = [];

  /** Adds a run with the first events of a plain answer; all of them by default. */
  add(runId: string, events = Number.POSITIVE_INFINITY): RunView {
    this.logs.set(runId, textLog(['a', 'b', 'c', 'd'], runId).slice(0, events));
    this.ring();
    return this.viewOf(runId);
  }

  /** Commits the rest of the answer. */
  finish(runId: string): void {
    this.add(runId);
  }

  /** Ends every tail and every wait, as a server does that shuts down. */
  stop(): void {
    this.isStopped = true;
    this.ring();
  }

  /** Makes `failure` happen. */
  fail(error: Error): void {
    this.failure = error;
    this.ring();
  }

  async *tail(
    _: Reach,
    runId: string,
    { signal, gate, after = -1 }: TailOptions = {},
  ): AsyncGenerator<readonly LoggedEvent[]> {
    for (let position = after + 1; !this.isOver(signal);) {
      await gate?.ready();
      const batch = (this.logs.get(runId) ?? []).slice(position, position + 4);
      position += batch.length;
      if (batch.length > 0) yield batch;
      else if (this.failure) throw this.failure;
      else await this.change(signal);
      if (batch.at(-1)?.isTerminal) return;
    }
  }

  async view(_: Reach, runId: string): Promise<RunView> {
    return this.viewOf(runId);
  }

  async list(_: Principal, __: string, { limit = 20 } = {}): Promise<readonly RunView[]> {
    return [...this.logs.keys()]
      .map((runId) => this.viewOf(runId))
      .reverse()
      .slice(0, limit);
  }

  async next(_: Principal, __: string, after: number, signal: AbortLike): Promise<RunView | undefined> {
    while (!this.isOver(signal)) {
      const runId = [...this.logs.keys()][after];
      if (runId !== undefined) return this.viewOf(runId);
      await this.change(signal);
    }
    return undefined;
  }

  async cancel(_: Reach, runId: string): Promise<RunView> {
    this.canceled.push(runId);
    return this.viewOf(runId);
  }

  async response(_: Reach, runId: string): Promise<AgentResponse> {
    return this.logs.get(runId)?.[0]?.event as AgentResponse;
  }

  private viewOf(runId: string): RunView {
    const log = this.logs.get(runId);
    if (!log) throw new AppError('RUN_NOT_FOUND');
    const ordinal = [...this.logs.keys()].indexOf(runId) + 1;
    const isOver = log.at(-1)?.isTerminal === true;
    return {
      runId,
      sessionId: 's',
      createdAt: ordinal,
      ordinal,
      lastSeq: log.length - 1,
      wireData: {},
      finishedAt: isOver ? 1 : null,
    } as RunView;
  }

  private isOver(signal: AbortLike | undefined): boolean {
    return this.isStopped || signal?.aborted === true;
  }

  private ring(): void {
    for (const wake of this.wake.splice(0)) wake();
  }

  private change(signal: AbortLike | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.wake.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
