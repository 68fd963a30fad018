import {
  type AbortLike,
  AppError,
  type Principal,
  type Reach,
  type Requester,
  userReach,
} from '../../src/common/index.js';
import {
  type AgentResponse,
  isTerminalEvent,
  type LoggedEvent,
  type Message,
  ResponseFold,
} from '../../src/events/index.js';
import {
  type AcceptedRun,
  type InterruptAnswer,
  type RunRequest,
  Runs,
  type RunView,
  type TailOptions,
} from '../../src/run/index.js';
import { textLog } from './scripted-log.js';

const FIRST_AT = 1_795_253_520_000;

interface FakeRun {
  readonly request: RunRequest | undefined;
  readonly log: LoggedEvent[];
  wake: (() => void)[];
  canceled: boolean;
  /** Milliseconds: no two runs are equally old, also when one takes the id of the other. */
  readonly createdAt: number;
}

/** Runs in memory for tests of the wires: logs are written by the test, tails are real. */
export class FakeRuns extends Runs {
  readonly runs = new Map<string, FakeRun>();
  /** Tails that are open. */
  openTails = 0;
  private added = 0;
  /** What `accept` puts into the log at once. */
  script: (request: RunRequest, runId: string) => readonly LoggedEvent[] = (request, runId) =>
    textLog(['Hello', ' there'], runId, request.sessionId);
  /** What `answer` was called with. */
  readonly answers: { readonly reach: Reach; readonly answers: readonly InterruptAnswer[] }[] = [];
  /** What `accept` throws. */
  refusal: AppError | undefined;

  override async accept(request: RunRequest): Promise<AcceptedRun> {
    if (this.refusal) throw this.refusal;
    const runId = request.runId ?? `response_${this.runs.size + 1}`;
    const created = !this.runs.has(runId);
    if (created) this.add(runId, this.script(request, runId), request);
    const view = await this.view(request.reach, runId);
    // A new run is accepted before anything is written.
    const run: RunView = created ? { ...view, ...JUST_ACCEPTED } : view;
    return { run, created, createdSession: created };
  }

  /** Puts a run with a log there. */
  add(runId: string, log: readonly LoggedEvent[], request?: RunRequest): void {
    this.added += 1;
    const createdAt = FIRST_AT + this.added;
    this.runs.set(runId, { request, log: [...log], wake: [], canceled: false, createdAt });
  }

  /** Commits further events of a run. */
  append(runId: string, events: readonly LoggedEvent[]): void {
    const run = this.find(runId);
    run.log.push(...events);
    for (const wake of run.wake.splice(0)) wake();
  }

  override async answer(reach: Reach, _: Requester | null, answers: readonly InterruptAnswer[]): Promise<AcceptedRun> {
    if (this.refusal) throw this.refusal;
    this.answers.push({ reach, answers });
    const accepted = { runId: `response_${this.runs.size + 1}`, sessionId: 's1', ordinal: this.runs.size + 1 };
    const view = fakeView(accepted.runId, {
      request: undefined,
      log: [],
      wake: [],
      canceled: false,
      createdAt: FIRST_AT,
    });
    return { run: { ...view, ...accepted }, created: true, createdSession: false };
  }

  override async *tail(_: Reach, runId: string, options: TailOptions = {}): AsyncGenerator<readonly LoggedEvent[]> {
    const run = this.find(runId);
    const { gate, signal } = options;
    this.openTails += 1;
    try {
      for (let position = (options.after ?? -1) + 1; signal?.aborted !== true;) {
        for (let wait = gate?.ready(); wait; wait = gate?.ready()) await wait;
        const batch = run.log.slice(position, position + 64);
        position += batch.length;
        if (batch.length > 0) yield batch;
        const last = batch.at(-1);
        if (last && isTerminalEvent(last.event)) return;
        if (batch.length === 0) await this.change(run, signal);
      }
    } finally {
      this.openTails -= 1;
    }
  }

  override async view(_: Reach, runId: string): Promise<RunView> {
    return fakeView(runId, this.find(runId));
  }

  override async findByKey(principal: Principal, sessionId: string, runKey: string): Promise<RunView | undefined> {
    return (await this.list(principal, sessionId)).find((run) => run.runKey === runKey);
  }

  override async list(principal: Principal, sessionId: string): Promise<readonly RunView[]> {
    const views = await Promise.all([...this.runs.keys()].map((runId) => this.view(userReach(principal), runId)));
    return views.filter((view) => view.sessionId === sessionId).reverse();
  }

  override async next(
    principal: Principal,
    sessionId: string,
    afterOrdinal: number,
    signal: AbortLike,
  ): Promise<RunView | undefined> {
    const runs = await this.list(principal, sessionId);
    const found = runs.filter(({ ordinal }) => ordinal > afterOrdinal).at(-1);
    if (found || signal.aborted) return found;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
  }

  override async input(_: Reach, runId: string): Promise<readonly Message[]> {
    return this.find(runId).request?.input ?? [];
  }

  override async remove(_: Reach, runId: string): Promise<void> {
    this.find(runId);
    this.runs.delete(runId);
  }

  override async removeSession(principal: Principal, sessionId: string): Promise<void> {
    for (const { runId } of await this.list(principal, sessionId)) this.runs.delete(runId);
  }

  override async response(_: Reach, runId: string): Promise<AgentResponse> {
    const fold = new ResponseFold();
    for (const { event } of this.find(runId).log) fold.apply(event);
    const response = fold.response();
    if (!response) throw new AppError('RUN_NOT_FOUND');
    return response;
  }

  override async cancel(reach: Reach, runId: string): Promise<RunView> {
    this.find(runId).canceled = true;
    return this.view(reach, runId);
  }

  override async cancelSession(principal: Principal, sessionId: string): Promise<readonly string[]> {
    const open: string[] = [];
    for (const [runId, { request }] of this.runs) {
      const { finishedAt } = await this.view(userReach(principal), runId);
      if (request?.sessionId === sessionId && finishedAt === null) open.push(runId);
    }
    for (const runId of open) await this.cancel(userReach(principal), runId);
    return open;
  }

  private find(runId: string): FakeRun {
    const run = this.runs.get(runId);
    if (!run) throw new AppError('RUN_NOT_FOUND');
    return run;
  }

  private change(run: FakeRun, signal: AbortLike | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal?.removeEventListener('abort', done);
        resolve();
      };
      run.wake.push(done);
      signal?.addEventListener('abort', done);
    });
  }
}

/** How a run differs from its state in the log at the moment it was accepted. */
const JUST_ACCEPTED = { state: 'running', finishedAt: null, lastSeq: -1, error: null, timedOut: false } as const;

function fakeView(runId: string, { log, canceled, request, createdAt }: FakeRun): RunView {
  const last = log.at(-1)?.event;
  const ended = last && isTerminalEvent(last) ? last : undefined;
  return {
    tenantId: request?.principal.tenantId ?? 'default',
    runId,
    sessionId: request?.sessionId ?? 's1',
    userId: request?.principal.userId ?? 'alice',
    agentType: 'worker',
    state: ended ? (ended.status as RunView['state']) : log.length > 0 ? 'running' : 'queued',
    isRolledBack: false,
    isResumed: false,
    attempt: 1,
    createdAt,
    startedAt: log.length > 0 ? 1_795_253_520_500 : null,
    finishedAt: ended ? 1_795_253_521_000 : null,
    ordinal: 1,
    wire: request?.wire ?? 'agent-api',
    runKey: request?.runKey ?? null,
    parentRunId: request?.parentRunId ?? null,
    clientTools: [],
    wireData: request?.wireData ?? {},
    timedOut: ended?.error?.code === 'TIMEOUT',
    queuePosition: log.length > 0 ? null : 1,
    cancelRequestedAt: canceled ? 1 : null,
    lastSeq: log.length - 1,
    error: ended?.error ?? null,
    usage: null,
    retainedSummaries: null,
    rootRunId: runId,
    closedAt: null,
  };
}
