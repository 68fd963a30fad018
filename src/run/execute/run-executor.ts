import { Injectable, Logger } from '@nestjs/common';
import { AgentRegistry, InputRefused, type RegisteredAgent } from '../../agent/index.js';
import { AppError } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { RunRecord } from '../ports/run-store.js';
import { RunSettings } from '../run.settings.js';
import { driveAgent } from './agent-drive.js';
import { RunClocks } from './run-clocks.js';
import type { RunControl } from './run-control.js';
import { RunContextFactory } from './run-context.factory.js';
import { type Ending, failure, failureOf, stopped, WAITED_TOO_LONG, writeEnding } from './run-ending.js';
import { type OpenRun, RunOpening } from './run-opening.js';
import { closeRemains } from './run-recovery.js';
import { UnreadableRuns } from './unreadable-runs.js';

/** How long an agent may take to stop when the process shuts down, in milliseconds. */
const HANDOVER_GRACE_MS = 1000;

/** Whether a run has ended here, or is left to another worker. */
export type Execution = 'ended' | 'handed-over' | 'lost';

/** Executes one claimed run from where it stands to its one terminal event. */
@Injectable()
export class RunExecutor {
  private readonly logger = new Logger(RunExecutor.name);

  constructor(
    private readonly agents: AgentRegistry,
    private readonly opening: RunOpening,
    private readonly contexts: RunContextFactory,
    private readonly unreadable: UnreadableRuns,
    private readonly settings: RunSettings,
  ) {}

  /** Never throws: what goes wrong ends the run, visibly, or leaves it to the next worker. */
  async execute(run: RunRecord, control: RunControl, input?: readonly Message[]): Promise<Execution> {
    let open: OpenRun | undefined;
    try {
      open = await this.opening.open(run, control);
      return await this.executeOpen(run, control, open, input);
    } catch (error) {
      if (control.stopped !== 'lost') this.logger.error(`run ${run.id} cannot be executed here: ${describe(error)}`);
      open?.writer.abandon();
      return open ? 'lost' : this.giveUp(run, control);
    } finally {
      open?.close();
    }
  }

  /** A run that cannot even be opened is tried as often as any other, then it ends without its past. */
  private async giveUp(run: RunRecord, control: RunControl): Promise<Execution> {
    if (control.stopped === 'lost' || run.attempt < this.settings.maxAttempts) return 'lost';
    try {
      return (await this.unreadable.end(run)) ? 'ended' : 'lost';
    } catch (error) {
      this.logger.error(`run ${run.id} cannot be ended: ${describe(error)}`);
      return 'lost';
    }
  }

  private async executeOpen(
    run: RunRecord,
    control: RunControl,
    open: OpenRun,
    input: readonly Message[] | undefined,
  ): Promise<Execution> {
    const { writer, response, remains, messages } = open;
    let sessionState = remains.sessionState;
    let ending: Ending | undefined;
    const clocks = new RunClocks(run, writer, control, this.settings);
    try {
      const agent = this.agents.get(run.agentType);
      ending = this.verdict(run, agent, open);
      if (!ending) {
        messages.neverDiscarded = agent.recovery === 'fail';
        this.begin(run, open);
        const made = await this.contexts.make(run, {
          writer,
          response,
          remains,
          messages,
          input,
          signal: control.signal,
        });
        try {
          const outcome = await driveAgent(agent.agent, made.context, writer, this.grace(control));
          ending = { kind: 'outcome', outcome };
        } finally {
          sessionState = made.changedState();
        }
      }
    } catch (error) {
      ending = this.endingOf(run, control, error);
    } finally {
      clocks.stop();
    }
    return this.finish(control, open, ending, sessionState);
  }

  /** What ends the run before its agent is asked. */
  private verdict(run: RunRecord, agent: RegisteredAgent, open: OpenRun): Ending | undefined {
    if (run.cancelRequestedAt !== null) return { kind: 'canceled' };
    if (run.attempt > this.settings.maxAttempts) return failureOf('WORKER_LOST');
    if (open.remains.response && agent.recovery === 'fail') return failureOf('WORKER_LOST');
    const waited = (run.startedAt ?? run.createdAt) - run.createdAt;
    if (waited > this.settings.queueTimeoutMs) return failure(new AppError('TIMEOUT', WAITED_TOO_LONG));
    return undefined;
  }

  private begin(run: RunRecord, { response, remains, writer }: OpenRun): void {
    if (!remains.response) response.created();
    if (!remains.response || remains.response.status === 'created') response.inProgress();
    if (remains.response) closeRemains(response, remains, run.attempt, (event) => writer.emit(event));
  }

  private endingOf(run: RunRecord, control: RunControl, error: unknown): Ending | undefined {
    if (control.stopped) return stopped(control.stopped);
    if (error instanceof InputRefused) return { kind: 'canceled' };
    if (!(error instanceof AppError)) this.logger.error(`run ${run.id} failed: ${describe(error)}`);
    else if (error.cause !== undefined) this.logger.warn(`run ${run.id}: ${error.code}: ${describe(error.cause)}`);
    return failure(error);
  }

  /** Writes the end, or hands the run over when it was stopped for another worker to go on. */
  private async finish(
    control: RunControl,
    { writer, response, messages }: OpenRun,
    ending: Ending | undefined,
    sessionState: ReturnType<Awaited<ReturnType<RunContextFactory['make']>>['changedState']>,
  ): Promise<Execution> {
    if (control.stopped === 'lost') {
      writer.abandon();
      return 'lost';
    }
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

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
