import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { AppError, type Reach, userReach } from '../../common/index.js';
import { type Content, LoggedEvent, messageOf } from '../../events/index.js';
import { Interrupts } from '../../agent/interrupt/index.js';
import { type RunChain, RunChains, Runs, type RunView } from '../../run/index.js';
import { keptInterrupt, questionsOf } from '../ag-ui-events/index.js';
import { historyOf } from './a2a-data.js';
import { taskNotFound } from './a2a.errors.js';
import { A2aSettings } from './a2a.settings.js';
import type { StatusUpdate, Task, TaskIds, TaskState, TaskUpdate } from './a2a.types.js';
import { RunFold } from './run-fold.js';
import { closedStatus, failedStatus } from './status-messages.js';
import { TaskFold } from './task-state.js';

/** How far a task is read. */
export interface ReadOptions {
  /** The number of updates to read; absent: all that there are. */
  readonly until?: number | undefined;
  readonly hasProgress?: boolean;
  /** The id of the run before whose first event the reading ends; absent: none. */
  readonly startOf?: string | undefined;
  /** The event of a run after which the reading ends; absent: none. */
  readonly untilEvent?: { readonly runId: string; readonly seq: number } | undefined;
}

/** A task that was read from the logs of its runs, up to a point. */
export interface TaskReading {
  readonly fold: TaskFold;
  /** How many updates it contains. */
  readonly count: number;
  /** What follows them of the event that was read last. */
  readonly rest: readonly TaskUpdate[];
  /** The run that was read last. */
  readonly run: RunView;
  /** Folds the rest of that run. */
  readonly runFold: RunFold;
  /** The number of the last event that was read of it. */
  readonly readTo: number;
  /** Whether that was the end of the run. */
  readonly isRunRead: boolean;
  /** True if events were removed: how the updates were numbered is not known any more. */
  readonly isRetained: boolean;
  /** What the event that was read last has told. */
  readonly told: readonly TaskUpdate[];
}

/** Reads tasks: each is a chain of runs (contract a2a, section 6.2). */
@Injectable()
export class Tasks {
  constructor(
    private readonly runs: Runs,
    private readonly chains: RunChains,
    private readonly interrupts: Interrupts,
    private readonly attachments: MessageAttachments,
    private readonly settings: A2aSettings,
  ) {}

  /**
   * A task by its id.
   *
   * @param agentType absent: of any agent
   * @throws A2aError TASK_NOT_FOUND, also for one of another user or agent
   */
  async find(reach: Reach, taskId: string, agentType?: string): Promise<RunChain> {
    const chain = await this.chains.find(reach, taskId);
    if (!chain || (agentType !== undefined && chain.root.agentType !== agentType)) throw taskNotFound(taskId);
    return chain;
  }

  /** The task that a run belongs to. @throws A2aError TASK_NOT_FOUND if it was removed */
  async chainOf(run: RunView): Promise<RunChain> {
    const chain = await this.chains.find(userReach(run), run.rootRunId);
    if (!chain) throw taskNotFound(run.rootRunId);
    return chain;
  }

  /** The task that a run belongs to, as it is now. @throws A2aError as `chainOf` */
  async taskOf(run: RunView): Promise<Task> {
    return (await this.read(await this.chainOf(run))).fold.task();
  }

  /** The ids of a task. */
  idsOf({ root }: RunChain): TaskIds {
    return idsOf(root);
  }

  /** The state of a task, by its row alone. */
  stateOf({ state, root, last, waitsFor }: RunChain): TaskState {
    switch (state) {
      case 'queued':
        return root.runId === last.runId ? 'submitted' : 'working';
      case 'running':
        return 'working';
      case 'incomplete':
        return 'completed';
      case 'waiting':
        return waitsFor === 'approvals' && this.isOutOfBand ? 'auth-required' : 'input-required';
      case 'expired':
        return 'failed';
      case 'closed':
        return 'canceled';
      default:
        return state;
    }
  }

  /** Whether approvals are decided elsewhere. */
  get isOutOfBand(): boolean {
    return this.settings.approvals === 'out-of-band';
  }

  /** The fold of a run of a task. */
  foldOf(run: RunView, hasProgress = false): RunFold {
    return new RunFold({
      run: { ...idsOf(run), runId: run.runId },
      isOutOfBand: this.isOutOfBand,
      hasProgress,
      shown: (content) => this.shown(content, run),
    });
  }

  /** Reads a task as it was after some updates, or as it is. @throws AppError RUN_NOT_FOUND if it was removed meanwhile */
  async read(
    chain: RunChain,
    { until, hasProgress = false, startOf, untilEvent }: ReadOptions = {},
  ): Promise<TaskReading> {
    const { root } = chain;
    const runs = await this.runsOf(chain);
    const fold = new TaskFold({ ...idsOf(root), agentType: root.agentType }, root.createdAt);
    let [count, readTo, isRunRead, isRetained] = [0, -1, false, false];
    let runFold = this.foldOf(root, hasProgress);
    let current = root;
    let told: readonly TaskUpdate[] = [];
    for (const run of runs) {
      if (run !== root && until !== undefined && count >= until) break;
      current = run;
      if (run !== root) runFold = this.foldOf(run, hasProgress);
      [readTo, isRunRead] = [-1, false];
      const isFirst = run.runId === root.runId;
      fold.accept(await this.messagesOf(run), { isFirst, at: run.createdAt });
      if (run.runId === startOf) break;
      const log = await this.log(run);
      isRetained ||= log.isRetained;
      for (const event of log.events) {
        if (until !== undefined && count >= until) break;
        readTo = event.seq;
        isRunRead = event.isTerminal;
        const updates = runFold.next(event);
        told = updates;
        for (const [index, update] of updates.entries()) {
          if (until !== undefined && count >= until) {
            return { fold, count, rest: updates.slice(index), run, runFold, readTo, isRunRead, isRetained, told };
          }
          fold.apply(update);
          count += 1;
        }
        if (run.runId === untilEvent?.runId && event.seq >= untilEvent.seq) break;
      }
      if (run.runId === untilEvent?.runId) break;
    }
    const closing = startOf === undefined && !untilEvent ? closingOf(chain) : undefined;
    if (closing && current.runId === chain.last.runId && isRunRead && (until === undefined || count < until)) {
      fold.apply(closing);
      count += 1;
    }
    return { fold, count, rest: [], run: current, runFold, readTo, isRunRead, isRetained, told };
  }

  /** A task in a list. Most are made of their rows and messages alone, without their logs. */
  async listed(chain: RunChain, { includeArtifacts }: { readonly includeArtifacts: boolean }): Promise<Task> {
    const { root, last, state, changedAt } = chain;
    const isPlain = root.runId === last.runId && state !== 'waiting' && state !== 'expired';
    if (includeArtifacts || !isPlain) {
      const task = (await this.read(chain)).fold.task();
      return includeArtifacts ? task : { ...task, artifacts: [] };
    }
    const ids = idsOf(root);
    const fold = new TaskFold({ ...ids, agentType: root.agentType }, root.createdAt);
    fold.accept(await this.messagesOf(root), { isFirst: true, at: root.createdAt });
    const status = { state: this.stateOf(chain), at: changedAt };
    const isFailed = status.state === 'failed' || status.state === 'rejected';
    const isRejected = status.state === 'rejected';
    if (isFailed) fold.apply(failedStatus({ ...ids, runId: last.runId }, last.error, { at: changedAt, isRejected }));
    else fold.apply({ kind: 'status', status, usage: last.usage });
    return fold.task();
  }

  /** The client's messages that a run was accepted with. */
  private async messagesOf(run: RunView) {
    const input = await this.runs.input(userReach(run), run.runId);
    return historyOf(run, idsOf(run), this.attachments.shown(input, run));
  }

  private async runsOf({ root, last }: RunChain): Promise<readonly RunView[]> {
    if (root.runId === last.runId) return [last];
    return this.chains.runs(userReach(root), root.runId);
  }

  /** The events of a run that were committed when it was looked up, or what is kept of them. */
  private async log(run: RunView): Promise<{ readonly events: readonly LoggedEvent[]; readonly isRetained: boolean }> {
    const events: LoggedEvent[] = [];
    if (run.lastSeq < 0) return { events, isRetained: false };
    try {
      for await (const batch of this.runs.tail(userReach(run), run.runId, { run, accepted: true })) {
        events.push(...batch);
        if ((batch.at(-1)?.seq ?? -1) >= run.lastSeq) break;
      }
      return { events, isRetained: false };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
      return { events: await this.retained(run), isRetained: true };
    }
  }

  /** The messages of a run whose events were removed, what it waits for, and how it ended. */
  private async retained(run: RunView): Promise<readonly LoggedEvent[]> {
    const response = await this.runs.response(userReach(run), run.runId);
    const isWaiting = run.state === 'interrupted';
    const asked = isWaiting ? [keptInterrupt(run, response, await questionsOf(this.interrupts, run))] : [];
    const at = run.finishedAt ?? run.createdAt;
    return [...(response.output ?? []), ...asked, response].map((event, seq) => new LoggedEvent(seq, '', event, at));
  }

  /** With an address of its own for whoever reads it. */
  private shown(content: Content, { tenantId }: RunView): Content {
    if (content.type !== 'image' && content.type !== 'file') return content;
    const message = { ...messageOf({ id: '', role: 'assistant' }, []), content: [content] };
    return this.attachments.shownMessage(message, tenantId).content?.[0] ?? content;
  }
}

/** The task that a run belongs to. */
export function idsOf({ rootRunId, sessionId }: Pick<RunView, 'rootRunId' | 'sessionId'>): TaskIds {
  return { taskId: rootRunId, contextId: sessionId };
}

/** The last update of a task that ended without an event of a log; undefined for any other. */
export function closingOf({ state, last, changedAt }: RunChain): StatusUpdate | undefined {
  if (state !== 'expired' && state !== 'closed') return undefined;
  return closedStatus({ ...idsOf(last), runId: last.runId }, { isExpired: state === 'expired', at: changedAt });
}
