import { Injectable } from '@nestjs/common';
import type { AgentContext } from '../../agent/index.js';
import { AgentSettings, fitHistory } from '../../agent/index.js';
import { type JsonObject, resolveTimeZone } from '../../common/index.js';
import { type Message, type ResponseBuilder, textOf } from '../../events/index.js';
import { SessionStore } from '../../session/index.js';
import type { ClientTime } from '../../tools/index.js';
import { UserSettings } from '../../user-settings/index.js';
import type { RunWriter } from '../log/run-writer.js';
import type { RunRecord } from '../ports/run-store.js';
import { AgentQuestions } from './agent-questions.js';
import type { FinalMessages } from './final-messages.js';
import { RecordedState } from './recorded-state.js';
import { RunJournal } from './run-journal.js';
import { RunPast } from './run-past.js';
import type { Remains } from './run-recovery.js';

/** Messages of the past that are looked at, at most; the token budget then cuts further. */
const HISTORY_LIMIT = 2000;

/** What a context is made of beside the run itself. */
export interface ContextParts {
  readonly writer: RunWriter;
  readonly response: ResponseBuilder;
  readonly remains: Remains;
  readonly messages: FinalMessages;
  /** The run's own messages when they are at hand; read from the session otherwise. */
  readonly input: readonly Message[] | undefined;
  readonly signal: AbortSignal;
}

/** A context, and the state the session gets when the run ends. */
export interface RunContext {
  readonly context: AgentContext;
  /** Undefined when the run did not change it. */
  changedState(): JsonObject | undefined;
}

/** Makes what an agent is given for one run. */
@Injectable()
export class RunContextFactory {
  constructor(
    private readonly sessions: SessionStore,
    private readonly userSettings: UserSettings,
    private readonly settings: AgentSettings,
    private readonly past: RunPast,
    private readonly questions: AgentQuestions,
  ) {}

  async make(run: RunRecord, parts: ContextParts): Promise<RunContext> {
    const { base, resumption, steps } = await this.past.of(run);
    const own = base.rowId === run.rowId ? parts.input : undefined;
    const input = own ?? (await this.sessions.inputOf(run.sessionRowId, base.rowId));
    const past = base.ordinal === 1 ? [] : await this.sessions.history(run.sessionRowId, base.ordinal, HISTORY_LIMIT);
    const stored = await this.stateFor(run);
    const state = new RecordedState(stored, parts.remains, (event) => parts.writer.emit(event));
    const principal = { tenantId: run.tenantId, userId: run.userId };
    const chosen = await this.userSettings.get(principal);
    const { writer, response, signal } = parts;
    const context: AgentContext = {
      runId: run.id,
      sessionId: run.sessionId,
      agentType: run.agentType,
      attempt: run.attempt,
      shownCallIds: parts.remains.shownCallIds,
      principal,
      input,
      inputText: userText(input),
      history: fitHistory(past, input, this.settings.contextTokenBudget),
      state,
      clientTools: run.request.clientTools,
      toolRestrictions: run.request.toolLimits ?? [],
      modelOptions: run.request.modelOptions,
      clientTime: run.request.clientTime ?? undefined,
      timeZone: resolveTimeZone([run.request.clientTime?.device_timezone, chosen.timezone]),
      locale: run.request.locale ?? chosen.locale,
      requestedAt: deviceNow(run.request.clientTime) ?? run.createdAt,
      forwardedProps: run.request.forwardedProps,
      resumption,
      interrupt: this.questions.asker(resumption.inputs),
      audit: (note) => writer.note(note),
      instructions: run.request.systemPrompt ?? '',
      response,
      journal: new RunJournal(writer, [...steps, ...parts.remains.steps], parts.messages),
      signal,
      emit: (event) => writer.emit(event),
      flush: () => writer.flush(),
    };
    // Runs before it may have set the state while this one waited: its own is written again at its end.
    const waited = run.startedAt !== run.createdAt;
    return { context, changedState: () => state.changed ?? (waited ? run.request.state : undefined) };
  }

  /** The state that the run begins with: what its request brought, else the session's. */
  private async stateFor(run: RunRecord): Promise<JsonObject> {
    if (run.request.state) return run.request.state;
    return run.ordinal === 1 ? {} : this.sessions.state(run.sessionRowId);
  }
}

/** What the device's clock showed; a leap second, which JavaScript does not know, counts as not told. */
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
