import { Injectable } from '@nestjs/common';
import { AppError, Clock, type Principal, userReach } from '../../common/index.js';
import { discardedMessageIds, LoggedEvent, type Message, OUTPUT_TYPES, RUN_RECOVERED } from '../../events/index.js';
import { Interrupts, type InterruptView } from '../../agent/interrupt/index.js';
import { RunQueries, Runs, type RunView } from '../../run/index.js';
import { keptInterrupt, questionsOf } from '../ag-ui-events/index.js';
import { answerIdOf } from './ai-sdk-data.js';

/** After so many milliseconds without an event, the worker of a run may be lost. */
const QUIET_MS = 1500;
/** How many runs are read at once. */
const PAGE = 50;

/** A run of a turn as it was logged. */
export interface LoggedRun {
  readonly run: RunView;
  readonly events: readonly LoggedEvent[];
  /** The outputs of the client's calls that the run was accepted with. */
  readonly outputs: readonly Message[];
  /** The messages that a lost worker has left behind. */
  readonly discarded: ReadonlySet<string>;
  /** The questions of the turn that the run goes on with. */
  readonly decided: readonly InterruptView[];
}

/** The questions of a turn by the runs that go on with them. */
export type TurnDecisions = ReadonlyMap<string, readonly InterruptView[]>;

/**
 * The turns of a session: a message of the user and all runs up to the next one (contract ui-message-stream, section 0,
 * rule 4).
 */
@Injectable()
export class Turns {
  constructor(
    private readonly runs: Runs,
    private readonly queries: RunQueries,
    private readonly interrupts: Interrupts,
    private readonly clock: Clock,
  ) {}

  /** The runs of the turn that a run belongs to, oldest first and up to it. */
  async upTo(run: RunView): Promise<readonly RunView[]> {
    const turn = [run];
    for (let first = run; !(await this.begins(first));) {
      const before = await this.before(run, first.ordinal);
      if (!before) break;
      turn.unshift(before);
      first = before;
    }
    return turn;
  }

  /** The id of the answer of a turn. */
  answerId(turn: readonly RunView[]): string {
    return answerIdOf(turn);
  }

  /** All runs of the turn that a run begins, oldest first. */
  async from(run: RunView): Promise<readonly RunView[]> {
    const later: RunView[] = [];
    for await (const one of this.newestFirst(run, run.sessionId)) {
      if (one.ordinal <= run.ordinal) break;
      later.unshift(one);
    }
    const turn = [run];
    for (const one of later) {
      if (await this.begins(one)) break;
      turn.push(one);
    }
    return turn;
  }

  /** The runs of the last turn of a session, oldest first; empty if it has none. */
  async last(principal: Principal, sessionId: string): Promise<readonly RunView[]> {
    for await (const run of this.newestFirst(principal, sessionId)) return this.upTo(run);
    return [];
  }

  /** The turns of a session, the newest first; each with its runs, oldest first. */
  async *all(principal: Principal, sessionId: string): AsyncGenerator<readonly RunView[]> {
    let turn: RunView[] = [];
    for await (const run of this.newestFirst(principal, sessionId)) {
      turn.unshift(run);
      if (!(await this.begins(run))) continue;
      yield turn;
      turn = [];
    }
    if (turn.length > 0) yield turn;
  }

  /** A run that has ended, as it was logged. */
  async logged(run: RunView, decisions: TurnDecisions): Promise<LoggedRun> {
    const [events, outputs] = await Promise.all([this.events(run), this.outputs(run)]);
    const discarded = new Set(events.flatMap(discardedBy));
    return { run, events, outputs, discarded, decided: decisions.get(run.runId) ?? [] };
  }

  /** The log of a run that has ended, or what is kept of it once its events are removed. */
  async events(run: RunView): Promise<readonly LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    try {
      for await (const batch of this.runs.tail(userReach(run), run.runId, { run })) events.push(...batch);
      return events;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
      return this.retained(run);
    }
  }

  /** What the runs of a turn have asked, in its order. */
  async questions(turn: readonly RunView[]): Promise<readonly InterruptView[]> {
    const asking = turn.filter(({ state }) => state === 'interrupted');
    return (await Promise.all(asking.map((run) => questionsOf(this.interrupts, run)))).flat();
  }

  /** The messages that a run was accepted with. */
  input(run: RunView): Promise<readonly Message[]> {
    return this.runs.input(userReach(run), run.runId);
  }

  /** The outputs of the client's calls that a run was accepted with. */
  async outputs(run: RunView): Promise<readonly Message[]> {
    if (!run.isResumed) return [];
    const input = await this.input(run);
    return input.filter(({ type }) => OUTPUT_TYPES.includes(type));
  }

  /** The messages of a run that a lost worker has left behind so far. */
  async discarded(run: RunView): Promise<ReadonlySet<string>> {
    const ids = new Set<string>();
    if (run.attempt <= 1) return ids;
    for await (const events of this.runs.tail(userReach(run), run.runId, { run })) {
      for (const id of events.flatMap(discardedBy)) ids.add(id);
      if ((events.at(-1)?.seq ?? 0) >= run.lastSeq) break;
    }
    return ids;
  }

  /**
   * The messages that stay whatever happens, of a run that has not ended and of which nothing was heard for a while: its
   * worker may be lost, and its last step begin again. Undefined for any other run.
   */
  async kept(run: RunView): Promise<ReadonlySet<string> | undefined> {
    if (!(await this.isQuiet(run))) return undefined;
    const steps = await this.queries.steps(userReach(run), run.runId);
    return new Set(steps.flatMap(({ status, messageIds }) => (status === 'finished' ? messageIds : [])));
  }

  private async isQuiet(run: RunView): Promise<boolean> {
    if (run.finishedAt !== null || run.lastSeq < 0) return false;
    for await (const events of this.runs.tail(userReach(run), run.runId, { run, after: run.lastSeq - 1 })) {
      return this.clock.now() - (events[0]?.at ?? 0) > QUIET_MS;
    }
    return false;
  }

  /** True for a run that answers a message of the user, or that at least continues nothing. */
  private async begins(run: RunView): Promise<boolean> {
    if (!run.isResumed) return true;
    const input = await this.input(run);
    return input.some(({ type, role }) => type === 'message' && role === 'user');
  }

  private async before(
    principal: Principal & { readonly sessionId: string },
    ordinal: number,
  ): Promise<RunView | undefined> {
    for await (const run of this.newestFirst(principal, principal.sessionId, ordinal)) return run;
    return undefined;
  }

  /** The runs of a session that are part of its conversation. */
  private async *newestFirst(principal: Principal, sessionId: string, before?: number): AsyncGenerator<RunView> {
    for (let from = before; ;) {
      const page = await this.runs.list(principal, sessionId, {
        limit: PAGE,
        ...(from !== undefined && { before: from }),
      });
      for (const run of page) if (!run.isRolledBack) yield run;
      const last = page.at(-1);
      if (page.length < PAGE || !last) return;
      from = last.ordinal;
    }
  }

  /** The messages of a run whose events were removed, what it waits for, and how it ended. */
  private async retained(run: RunView): Promise<readonly LoggedEvent[]> {
    const response = await this.runs.response(userReach(run), run.runId);
    const messages = (response.output ?? []).map((message) => message);
    const isWaiting = run.state === 'interrupted';
    const interrupt = isWaiting ? [keptInterrupt(run, response, await questionsOf(this.interrupts, run))] : [];
    return [...messages, ...interrupt, response].map((event, seq) => new LoggedEvent(seq, '', event));
  }
}

/** What the runs of a turn go on with. @param questions those of the turn */
export function decisionsOf(questions: readonly InterruptView[]): TurnDecisions {
  const decisions = new Map<string, InterruptView[]>();
  for (const question of questions) {
    const { resumedByRunId: runId } = question;
    if (runId !== null) decisions.set(runId, [...(decisions.get(runId) ?? []), question]);
  }
  return decisions;
}

function discardedBy({ event }: LoggedEvent): readonly string[] {
  return event.object === 'custom' && event.name === RUN_RECOVERED ? discardedMessageIds(event) : [];
}
