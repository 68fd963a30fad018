import { Injectable } from '@nestjs/common';
import { AgentRegistry, InputRefused, type RegisteredAgent } from '../../agent/index.js';
import { AppError, type JsonObject, nextTurn } from '../../common/index.js';
import { isUnavailable } from '../../database/index.js';
import type { RunTelemetry } from '../../telemetry/index.js';
import type { StartedRun } from '../ports/dispatcher.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { MANY_MESSAGES } from '../run.types.js';
import type { RunWriter } from '../log/run-writer.js';
import { runAgent } from './agent-runner.js';
import { ExecutionReports } from './execution-reports.js';
import { type ContextOptions, RunContextFactory } from './run-context.factory.js';
import type { RunControl } from './run-control.js';
import { type Ending, endingOfCode, endingOfError, endingOfStop, WAITED_TOO_LONG, writeEnding } from './run-ending.js';
import { closePartialOutput } from './run-recovery.js';
import { type RunSession, RunSessionFactory } from './run-session.factory.js';
import { whileUnavailable } from './while-unavailable.js';

/** Node runs timers of more milliseconds than this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Checks within the idle timeout: an idle run is stopped at most a quarter of it too late. */
const IDLE_CHECKS = 4;

/**
 * The two timeouts of an attempt: the time that the run may take in all, including earlier attempts but not the
 * time between them, and the time between two writes.
 */
class RunTimeouts {
  private readonly timeout: NodeJS.Timeout;
  private readonly idle: NodeJS.Timeout;

  constructor(
    run: RunRecord,
    writer: RunWriter,
    control: RunControl,
    limits: Pick<RunSettings, 'timeoutMs' | 'idleTimeoutMs'>,
  ) {
    this.timeout = setTimeout(() => control.stop('timeout'), timer(limits.timeoutMs - run.usedMs));
    let writes = writer.writes;
    let idleChecks = 0;
    this.idle = setInterval(
      () => {
        idleChecks = writer.writes === writes ? idleChecks + 1 : 0;
        writes = writer.writes;
        if (idleChecks >= IDLE_CHECKS) control.stop('idle');
      },
      timer(limits.idleTimeoutMs / IDLE_CHECKS),
    );
  }

  /** Clears the timers. */
  stop(): void {
    clearTimeout(this.timeout);
    clearInterval(this.idle);
  }
}

function timer(milliseconds: number): number {
  return Math.max(0, Math.min(Math.ceil(milliseconds), LONGEST_TIMER_MS));
}

/** How long an agent may take to stop when the process shuts down, in milliseconds. */
const HANDOVER_GRACE_MS = 1000;

/** Whether a run has ended here, or is left to another process. */
export type Execution = 'ended' | 'handed-over' | 'lost';

/** Executes one claimed run to its terminal event. */
@Injectable()
export class RunExecutor {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly sessions: RunSessionFactory,
    private readonly contexts: RunContextFactory,
    private readonly settings: RunSettings,
    private readonly reports: ExecutionReports,
  ) {}

  /** Never throws: an error ends the run as failed, or leaves it to the next process. */
  async execute(run: RunRecord, control: RunControl, started?: StartedRun): Promise<Execution> {
    const telemetry = this.reports.begin(run);
    let session: RunSession | undefined;
    let execution: Execution = 'lost';
    try {
      if (run.isUnreadable) throw new Error('Its content cannot be decrypted');
      session = await whileUnavailable(() => this.sessions.open(run, control, started), control);
      const checkpoint = (): void => control.checkpoint();
      execution = await this.executeIn(session, run, control, {
        started,
        signal: control.signal,
        checkpoint,
        wait: (turn, isIdle) => control.wait(turn, isIdle),
        telemetry,
      });
    } catch (error) {
      if (control.stopped !== 'lost') telemetry.log.error({ err: error }, `Run ${run.id} cannot be executed here`);
      session?.writer.abandon();
      if (!session && !isUnavailable(error)) execution = await this.giveUp(run, control, telemetry);
    } finally {
      session?.close();
      // Without effect on an execution that has ended its run.
      telemetry.end(execution);
    }
    return execution;
  }

  /** A run whose log cannot be read is tried as often as any other, one without content once: then it ends without output. */
  private async giveUp(run: RunRecord, control: RunControl, { log }: RunTelemetry): Promise<Execution> {
    const isLast = run.isUnreadable === true || run.attempt >= this.settings.maxAttempts;
    if (control.stopped === 'lost' || !isLast) return 'lost';
    try {
      return (await this.sessions.endUnreadable(run)) ? 'ended' : 'lost';
    } catch (error) {
      log.error({ err: error }, `Run ${run.id} cannot be ended`);
      return 'lost';
    }
  }

  private async executeIn(
    session: RunSession,
    run: RunRecord,
    control: RunControl,
    options: ContextOptions,
  ): Promise<Execution> {
    let { sessionState } = session.partial;
    let ending: Ending | undefined;
    const timeouts = new RunTimeouts(run, session.writer, control, this.settings);
    try {
      const agent = this.agents.executing(run.agentType, run.request.modelOptions);
      ending = this.endingBeforeStart(run, agent, session);
      if (!ending) {
        session.messages.neverDiscards = agent.recovery === 'fail';
        this.begin(run, session);
        const made = await whileUnavailable(() => this.contexts.create(run, session, options), control);
        const { history, input } = made.context;
        // What agents do with many messages takes milliseconds too.
        if (history.length + input.length >= MANY_MESSAGES) await nextTurn();
        try {
          const outcome = await runAgent(agent.agent, made.context, session.writer, this.grace(control));
          ending = { kind: 'outcome', outcome };
        } finally {
          sessionState = made.changedState();
        }
      }
    } catch (error) {
      ending = endingOf(run, control, error, options.telemetry);
    } finally {
      timeouts.stop();
    }
    const execution = await this.finish(control, session, ending, sessionState);
    if (execution === 'ended' && ending) options.telemetry.end(nameOf(ending));
    return execution;
  }

  /** The ending of a run whose agent is not started; undefined when it is. */
  private endingBeforeStart(run: RunRecord, agent: RegisteredAgent, { partial }: RunSession): Ending | undefined {
    if (run.cancelRequestedAt !== null) return { kind: 'canceled' };
    if (run.attempt > this.settings.maxAttempts) {
      this.reports.attemptsExhausted();
      return endingOfCode('WORKER_LOST');
    }
    if (partial.response && agent.recovery === 'fail') return endingOfCode('WORKER_LOST');
    const waited = (run.startedAt ?? run.createdAt) - run.createdAt;
    if (waited > this.settings.queueTimeoutMs) return endingOfError(new AppError('TIMEOUT', WAITED_TOO_LONG));
    return undefined;
  }

  private begin(run: RunRecord, { response, partial, writer }: RunSession): void {
    if (!response.isInProgress) response.inProgress();
    if (partial.response) closePartialOutput(response, partial, run.attempt, (event) => writer.emit(event));
  }

  /** Writes the end, or hands the run over when it was stopped for another process to continue. */
  private async finish(
    control: RunControl,
    { writer, response, messages, meter }: RunSession,
    ending: Ending | undefined,
    sessionState: JsonObject | undefined,
  ): Promise<Execution> {
    if (control.stopped === 'lost') {
      this.reports.leaseLost();
      writer.abandon();
      return 'lost';
    }
    // With the end, or before another process continues the run.
    meter.close();
    if (!ending) {
      await writer.flush();
      writer.abandon();
      return 'handed-over';
    }
    writeEnding(ending, response, writer, { sessionState, messages });
    await writer.flush();
    return 'ended';
  }

  private grace(control: RunControl): () => number {
    return () => (control.stopped === 'shutdown' ? HANDOVER_GRACE_MS : this.settings.cancelGraceMs);
  }
}

/** Undefined when another process is to end the run. */
function endingOf(run: RunRecord, control: RunControl, error: unknown, { log }: RunTelemetry): Ending | undefined {
  if (control.stopped) return endingOfStop(control.stopped);
  if (error instanceof InputRefused) return { kind: 'canceled' };
  if (!(error instanceof AppError)) log.error({ err: error }, `Run ${run.id} failed`);
  else if (error.cause !== undefined) log.warn({ err: error.cause }, `Run ${run.id}: ${error.code}`);
  return endingOfError(error);
}

/** The state that a run ends in. */
function nameOf(ending: Ending): string {
  if (ending.kind === 'outcome') return ending.outcome.kind;
  return ending.kind === 'error' ? 'failed' : ending.kind;
}
