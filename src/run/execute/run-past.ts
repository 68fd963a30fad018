import { Injectable } from '@nestjs/common';
import { AgentSettings, fitHistory, openCalls } from '../../agent/index.js';
import type { JsonObject } from '../../common/index.js';
import { type Message, sinceSummary, summaryOf } from '../../events/index.js';
import { SessionStore, type StoredMessages } from '../../agent/session/index.js';
import type { RunKey, RunRecord } from '../run-record.js';

/** Earlier messages that are read at most; the token budget then cuts further. */
const HISTORY_LIMIT = 2000;

/** The messages of a run and those before it. */
export interface RunPast {
  /** The messages of the request. */
  readonly input: readonly Message[];
  /** Earlier messages of the session, oldest first, within the token budget. */
  readonly history: readonly Message[];
  /** What model providers want back with both, by the ids of the messages. */
  readonly providerStates: StoredMessages['states'];
  /** The statuses of the runs whose calls have no result, by the ids of the messages of the calls. */
  readonly callEnds: ReadonlyMap<string, string>;
}

const NO_ENDS: RunPast['callEnds'] = new Map();

/** What runs find in their sessions when they start. */
@Injectable()
export class RunPasts {
  constructor(
    private readonly sessions: SessionStore,
    private readonly settings: AgentSettings,
  ) {}

  /**
   * @param base the run whose input and history count
   * @param known its input, if this process has just accepted it; read from the database otherwise
   */
  async messages(run: RunRecord, base: RunKey, known: StoredMessages | undefined): Promise<RunPast> {
    const { messages: input, states } = known ?? (await this.sessions.inputOf(run.sessionRowId, base.rowId));
    const past =
      base.ordinal === 1 ? undefined : await this.sessions.history(run.sessionRowId, base.ordinal, HISTORY_LIMIT);
    const providerStates = past ? new Map([...past.states, ...states]) : states;
    const history = this.historyOf(run, past?.messages ?? [], input, providerStates);
    const open = openCalls([...history, ...input]);
    const callEnds = open.length === 0 ? NO_ENDS : await this.sessions.runStatuses(run.sessionRowId, open);
    return { input, history, providerStates, callEnds };
  }

  /** The state that the run begins with: that of its request, else the session's. */
  async state(run: RunRecord): Promise<JsonObject> {
    if (run.request.state) return run.request.state;
    return run.ordinal === 1 ? {} : this.sessions.state(run.sessionRowId);
  }

  /** A run that shortens its conversation itself gets all of it. */
  private historyOf(
    { request }: RunRecord,
    past: readonly Message[],
    input: readonly Message[],
    states: StoredMessages['states'],
  ): readonly Message[] {
    if (input.some((message) => summaryOf(message) !== undefined)) return [];
    const history = sinceSummary(past);
    if (request.modelOptions.compactAbove !== undefined) return history;
    return fitHistory(history, input, this.settings.contextTokenBudget, states);
  }
}
