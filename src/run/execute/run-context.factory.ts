import { Injectable } from '@nestjs/common';
import type { AgentContext } from '../../agent/index.js';
import { SummaryLabels } from '../../agent/index.js';
import { type JsonObject, resolveTimeZone } from '../../common/index.js';
import { type Message, textOf } from '../../events/index.js';
import type { RunTelemetry } from '../../telemetry/index.js';
import type { ClientTime } from '../../agent/tools/index.js';
import { UserSettings } from '../../user-settings/index.js';
import type { StartedRun } from '../ports/dispatcher.js';
import type { RunRecord } from '../run-record.js';
import { AgentInputs } from './agent-inputs.js';
import { RecordedState } from './recorded-state.js';
import { RunJournal } from './run-journal.js';
import { RunPasts } from './run-past.js';
import type { RunSession } from './run-session.factory.js';
import { StartingPoints } from './starting-point.js';

/** What a context needs besides its run and its session. */
export interface ContextOptions {
  /** What the run was accepted with, if this process has just accepted it; read from the database otherwise. */
  readonly started: StartedRun | undefined;
  readonly signal: AbortSignal;
  /** Logs, spans and metrics of the execution. */
  readonly telemetry: RunTelemetry;
  /** As `RunControl.checkpoint`. */
  readonly checkpoint: () => void;
  /** As `RunControl.wait`. */
  readonly wait: (turn: Promise<void>, isIdle: () => boolean) => Promise<void>;
}

/** The context of a run, and the state that its session gets when it ends. */
export interface RunContext {
  readonly context: AgentContext;
  /** Undefined when the run did not change it. */
  changedState(): JsonObject | undefined;
}

/** Creates the context that an agent gets for one run. */
@Injectable()
export class RunContextFactory {
  constructor(
    private readonly pasts: RunPasts,
    private readonly userSettings: UserSettings,
    private readonly startingPoints: StartingPoints,
    private readonly inputs: AgentInputs,
    private readonly summaries: SummaryLabels,
  ) {}

  async create(run: RunRecord, session: RunSession, options: ContextOptions): Promise<RunContext> {
    const { base, resumption, steps } = await this.startingPoints.load(run);
    const { started } = options;
    const own = base.rowId === run.rowId ? started?.input : undefined;
    const { input, history, providerStates, callEnds } = await this.pasts.messages(run, base, own);
    session.messages.input = input;
    const stored = await this.pasts.state(run);
    const principal = { tenantId: run.tenantId, userId: run.userId };
    const chosen = started?.preferences ?? (await this.userSettings.forRun(principal));
    const state = new RecordedState(stored, session.partial, (event) => session.writer.emit(event));
    const { writer, response, partial } = session;
    const label = this.summaries.of(run.wire);
    const journal = new RunJournal(writer, [...steps, ...partial.steps], session.messages, options.checkpoint);
    const context: AgentContext = {
      runId: run.id,
      sessionId: run.sessionId,
      agentType: run.agentType,
      attempt: run.attempt,
      shownCallIds: partial.shownCallIds,
      principal,
      authority: run.authority,
      input,
      inputText: userText(input),
      history,
      providerStates,
      callEnds,
      state,
      clientTools: run.request.clientTools,
      toolRestrictions: run.request.toolRestrictions ?? [],
      modelOptions: run.request.modelOptions,
      clientTime: run.request.clientTime ?? undefined,
      timeZone: resolveTimeZone([run.request.clientTime?.device_timezone, chosen.timezone]),
      locale: run.request.locale ?? chosen.locale,
      requestedAt: deviceNow(run.request.clientTime) ?? run.createdAt,
      forwardedProps: run.request.forwardedProps,
      ...(run.request.carried && { carried: run.request.carried }),
      resumption,
      interrupt: this.inputs.asker(resumption.inputs, (warning) => options.telemetry.log.warn(warning)),
      ...(label && { summaryLabel: (summary: string) => label(summary, { principal, authority: run.authority }) }),
      audit: (note) => writer.audit(note),
      instructions: run.request.systemPrompt ?? '',
      response,
      journal,
      waitForTurn: (turn) => options.wait(turn, () => journal.isIdle),
      usage: session.meter,
      signal: options.signal,
      telemetry: options.telemetry,
      emit: (event) => writer.emit(event),
      flush: () => writer.flush(),
    };
    // Earlier runs may have set the state while this one waited, so its own is written again at its end.
    const waited = run.startedAt !== run.createdAt;
    return { context, changedState: () => state.changed ?? (waited ? run.request.state : undefined) };
  }
}

/** The time of the client's device; undefined also for a leap second, which JavaScript cannot parse. */
function deviceNow(clientTime: ClientTime | null | undefined): number | undefined {
  const now = clientTime ? Date.parse(clientTime.client_now_iso) : Number.NaN;
  return Number.isNaN(now) ? undefined : now;
}

function userText(input: readonly Message[]): string {
  return input
    .filter((message) => message.role === 'user')
    .map(textOf)
    .join('\n');
}
