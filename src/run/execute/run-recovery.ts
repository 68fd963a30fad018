import { Injectable } from '@nestjs/common';
import { Clock, type JsonObject } from '../../common/index.js';
import {
  type AgentResponse,
  type Content,
  type CustomEvent,
  type ResponseBuilder,
  ResponseFold,
  RUN_RECOVERED,
} from '../../events/index.js';
import { SessionStore } from '../../agent/session/index.js';
import { LogCommit } from '../log/log-commit.js';
import { logPages } from '../log/log-pages.js';
import { type JournalStep, RunLog } from '../ports/run-log.js';
import type { RunRecord } from '../run-record.js';
import { StateFold } from './recorded-state.js';
import { RunSpending } from './run-spending.js';
import { corruptEnd } from './run-ending.js';

/** What earlier attempts of a run wrote. */
export interface PartialState {
  readonly response: AgentResponse | undefined;
  /** The ids of the messages that were discarded. */
  readonly retired: readonly string[];
  readonly steps: readonly JournalStep[];
  /** The shared state as the run last set it; undefined when it did not change it. */
  readonly sessionState: JsonObject | undefined;
  /** Whether the log has the shared state that the run began with. */
  readonly stateShown: boolean;
  /** The tool calls of the log, including those of discarded messages. */
  readonly shownCallIds: readonly string[];
  /** How many messages of its output the session has already. */
  readonly joined: number;
  /** The estimated tokens that its unfinished steps have written and that are not booked yet. */
  readonly lostOutput: number;
}

/** The partial state of a run at its first attempt. */
export const NO_PARTIAL_STATE: PartialState = {
  response: undefined,
  retired: [],
  steps: [],
  sessionState: undefined,
  stateShown: false,
  shownCallIds: [],
  joined: 0,
  lostOutput: 0,
};

/** Recovers runs whose worker was lost: reads what they wrote, or ends them when it cannot be read. */
@Injectable()
export class RunRecovery {
  constructor(
    private readonly log: RunLog,
    private readonly sessions: SessionStore,
    private readonly commits: LogCommit,
    private readonly clock: Clock,
    readonly spending: RunSpending,
  ) {}

  /** Reads what earlier attempts wrote, so that the run can continue. @throws Error when the log has gaps */
  async load(run: RunRecord): Promise<PartialState> {
    if (run.attempt <= 1 && run.nextSeq === 0) {
      await this.spending.closeEarlier(run, []);
      return NO_PARTIAL_STATE;
    }
    const fold = new ResponseFold();
    const state = new StateFold();
    const callIds = new Set<string>();
    for await (const events of logPages(this.log, run)) {
      for (const { event } of events) {
        fold.apply(event);
        state.apply(event);
        if (event.object === 'content') addCallId(event, callIds);
      }
    }
    const response = fold.response();
    const steps = await this.log.steps(run.rowId);
    const finished = finishedMessageIds({ steps });
    const lost = (response?.output ?? []).filter(({ id, role }) => role === 'assistant' && !finished.has(id));
    return {
      response,
      retired: fold.retired,
      steps,
      sessionState: state.changed,
      stateShown: state.shown,
      joined: await this.sessions.outputCount(run.sessionRowId, run.rowId),
      shownCallIds: [...callIds],
      lostOutput: await this.spending.closeEarlier(run, lost),
    };
  }

  /** Ends a run whose log cannot be read as failed. Returns false when another process has the run. */
  async endCorrupt(run: RunRecord): Promise<boolean> {
    await this.spending.closeEarlier(run, []);
    const [written] = await this.commits.append([corruptEnd(run, this.clock.now())]);
    return written === true;
  }
}

function addCallId(content: Content, callIds: Set<string>): void {
  const id = content.type === 'data' ? content.data?.['call_id'] : undefined;
  if (typeof id === 'string') callIds.add(id);
}

/**
 * Closes the messages of finished steps that are still open, as incomplete, and discards those of unfinished steps:
 * they are written again under new ids. Numbering continues.
 */
export function closePartialOutput(
  response: ResponseBuilder,
  partial: PartialState,
  attempt: number,
  emit: (event: CustomEvent) => void,
): void {
  const finished = finishedMessageIds(partial);
  for (const message of response.openMessages()) {
    if (finished.has(message.id)) message.incomplete();
  }
  const discarded = (partial.response?.output ?? []).map(({ id }) => id).filter((id) => !finished.has(id));
  response.discard(discarded);
  const resumedFromStep = partial.steps.filter(({ status }) => status === 'finished').length;
  emit({ object: 'custom', name: RUN_RECOVERED, value: { attempt, discardedMessageIds: discarded, resumedFromStep } });
}

/** The ids of the messages that are kept: those of finished steps. */
export function finishedMessageIds({ steps }: Pick<PartialState, 'steps'>): Set<string> {
  return new Set(steps.flatMap((step) => (step.status === 'finished' ? step.messageIds : [])));
}
