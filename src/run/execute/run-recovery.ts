import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../common/index.js';
import {
  type AgentResponse,
  type Content,
  type CustomEvent,
  type ResponseBuilder,
  ResponseFold,
  RUN_RECOVERED,
} from '../../events/index.js';
import { SessionStore } from '../../session/index.js';
import { RunLog } from '../ports/run-log.js';
import { type RunRecord, RunStore, type StoredStep } from '../ports/run-store.js';
import { StateTrace } from './recorded-state.js';

const PAGE = 1024;

/** What an interrupted execution left behind. */
export interface Remains {
  readonly response: AgentResponse | undefined;
  /** The ids of messages that were taken back before. */
  readonly retired: readonly string[];
  readonly steps: readonly StoredStep[];
  /** The shared state as the run last set it; undefined when it did not. */
  readonly sessionState: JsonObject | undefined;
  /** The log tells what the run found of the shared state. */
  readonly stateShown: boolean;
  /** The tool calls that the log tells of, whether they stand or were taken back. */
  readonly shownCallIds: readonly string[];
  /** How many messages of its output the session has already. */
  readonly joined: number;
}

/** What a run without a past has. */
export const NO_REMAINS: Remains = {
  response: undefined,
  retired: [],
  steps: [],
  sessionState: undefined,
  stateShown: false,
  shownCallIds: [],
  joined: 0,
};

/** Reads what an interrupted run has written, so that it can go on where it was cut. */
@Injectable()
export class RunRecovery {
  constructor(
    private readonly log: RunLog,
    private readonly store: RunStore,
    private readonly sessions: SessionStore,
  ) {}

  async remains(run: RunRecord): Promise<Remains> {
    if (run.attempt <= 1 && run.nextSeq === 0) return NO_REMAINS;
    const fold = new ResponseFold();
    const state = new StateTrace();
    const callIds = new Set<string>();
    for (let next = 0; next < run.nextSeq;) {
      const events = await this.log.read(run.rowId, next, PAGE);
      for (const { event } of events) {
        fold.apply(event);
        state.apply(event);
        if (event.object === 'content') noteCall(event, callIds);
      }
      if (events.length === 0) throw new Error(`the log of run ${run.id} ends at ${next}, not at ${run.nextSeq}`);
      next += events.length;
    }
    return {
      response: fold.response(),
      retired: fold.retired,
      steps: await this.store.steps(run.rowId),
      sessionState: state.changed,
      stateShown: state.shown,
      joined: await this.sessions.outputCount(run.sessionRowId, run.rowId),
      shownCallIds: [...callIds],
    };
  }
}

function noteCall(content: Content, ids: Set<string>): void {
  const id = content.type === 'data' ? content.data?.['call_id'] : undefined;
  if (typeof id === 'string') ids.add(id);
}

/**
 * Closes what was left open, as incomplete, and takes back the messages of steps that were not
 * finished: they are begun again under new ids. Numbering goes on.
 */
export function closeRemains(
  response: ResponseBuilder,
  remains: Remains,
  attempt: number,
  emit: (event: CustomEvent) => void,
): void {
  const finished = finishedMessages(remains);
  const discarded = (remains.response?.output ?? []).map(({ id }) => id).filter((id) => !finished.has(id));
  response.discard(discarded);
  emit({ object: 'custom', name: RUN_RECOVERED, value: { attempt, discardedMessageIds: discarded } });
}

/** The ids of the messages that stand: those of finished steps. */
export function finishedMessages({ steps }: Remains): Set<string> {
  return new Set(steps.flatMap((step) => (step.status === 'finished' ? step.messageIds : [])));
}
