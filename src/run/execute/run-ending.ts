import type { AgentOutcome } from '../../agent/index.js';
import {
  AppError,
  assertUnreachable,
  ERROR_CATALOGUE,
  type ErrorCode,
  FixedClock,
  type JsonObject,
  publicError,
} from '../../common/index.js';
import { type AgentResponse, type ErrorModel, ResponseBuilder, serializeEvent } from '../../events/index.js';
import type { RunWriter } from '../log/run-writer.js';
import type { LogWrite, RunEnd } from '../ports/run-log.js';
import type { UnstartedEnd } from '../ports/run-store.js';
import type { RunRecord } from '../run-record.js';
import type { MessageCommitter } from './message-committer.js';
import type { StopKind } from './run-control.js';

/** How a run ends without an outcome of its agent. */
export type ForcedEnding = { readonly kind: 'error'; readonly error: ErrorModel } | { readonly kind: 'canceled' };

/** How a run ends. */
export type Ending = ForcedEnding | { readonly kind: 'outcome'; readonly outcome: AgentOutcome };

/** The message of a run that failed because it waited in the queue for too long. */
export const WAITED_TOO_LONG = 'The run waited too long';

/** The ending for a thrown error: its public code and message. */
export function endingOfError(error: unknown): ForcedEnding {
  return { kind: 'error', error: publicError(error) };
}

/** The ending for a code of the catalogue. */
export function endingOfCode(code: ErrorCode): ForcedEnding {
  return { kind: 'error', error: { code, message: ERROR_CATALOGUE[code].message } };
}

/** The ending of a stopped run; undefined when another process is to end it. */
export function endingOfStop(kind: StopKind): ForcedEnding | undefined {
  switch (kind) {
    case 'cancel':
      return { kind: 'canceled' };
    case 'timeout':
      return endingOfError(new AppError('TIMEOUT'));
    case 'idle':
      return endingOfError(new AppError('TIMEOUT', 'The run wrote nothing for too long'));
    case 'failover':
      return endingOfError(new AppError('DATABASE_ERROR', 'The database has lost a part of the run in a failover'));
    case 'lost':
    case 'shutdown':
      return undefined;
    default:
      return assertUnreachable(kind);
  }
}

/** What a run adds to its session at its end. */
export interface SessionChange {
  /** The new shared state; undefined when the run did not change it. */
  readonly sessionState: JsonObject | undefined;
  /** Knows which messages the session has already. */
  readonly messages: MessageCommitter;
}

/** Writes the terminal event and, in the same commit, the end of the run. */
export function writeEnding(
  ending: Ending,
  response: ResponseBuilder,
  writer: RunWriter,
  { sessionState, messages }: SessionChange,
): void {
  const [state, last] = terminal(ending, response, writer);
  const asked = ending.kind === 'outcome' && ending.outcome.kind === 'interrupted' ? ending.outcome.asked : undefined;
  const output = messages.rest(last.output ?? []);
  const { error, usage } = last;
  writer.finish({ state, error, usage, output, sessionState, ...(asked?.length && { asked }) });
}

function terminal(ending: Ending, response: ResponseBuilder, writer: RunWriter): [RunEnd['state'], AgentResponse] {
  switch (ending.kind) {
    case 'canceled':
      return ['canceled', response.canceled()];
    case 'error':
      return ['failed', response.failed(ending.error)];
    case 'outcome':
      return terminalOfOutcome(ending.outcome, response, writer);
    default:
      return assertUnreachable(ending);
  }
}

function terminalOfOutcome(
  outcome: AgentOutcome,
  response: ResponseBuilder,
  writer: RunWriter,
): [RunEnd['state'], AgentResponse] {
  switch (outcome.kind) {
    case 'completed':
      return ['completed', response.completed()];
    case 'incomplete': {
      const { reason } = outcome;
      return ['incomplete', response.incomplete({ code: reason, message: `The run was cut: ${reason}` })];
    }
    case 'interrupted':
      writer.emit({
        object: 'interrupt',
        id: `int_${response.getResponseData().id}`,
        reason: outcome.reason,
        message: outcome.message,
        call_ids: outcome.callIds,
        response_schema: outcome.responseSchema,
        items: (outcome.asked ?? []).map(({ item }) => item),
      });
      // Clients of the Agent API end only on `completed`; the run itself is stored as interrupted.
      return ['interrupted', response.completed()];
    default:
      return assertUnreachable(outcome);
  }
}

/**
 * The end of a run that was never started, with its whole log: it is created, in progress and ended.
 *
 * @param at milliseconds since the epoch
 */
export function unstartedEnd(run: RunRecord, ending: ForcedEnding, at: number): UnstartedEnd {
  const lines: string[] = [];
  const response = new ResponseBuilder({
    responseId: run.id,
    sessionId: run.sessionId,
    clock: new FixedClock(at),
    sink: (event) => lines.push(serializeEvent(event)),
  });
  if (ending.kind === 'error') {
    response.failed(ending.error);
    return { lines, state: 'failed', error: ending.error };
  }
  response.canceled();
  return { lines, state: 'canceled', error: null };
}

/** The end of a run whose log cannot be read: it fails with WORKER_LOST and without output. @param at milliseconds since the epoch */
export function corruptEnd(run: RunRecord, at: number): LogWrite {
  const error = { code: 'WORKER_LOST', message: ERROR_CATALOGUE.WORKER_LOST.message };
  const last: AgentResponse = {
    object: 'response',
    status: 'failed',
    error,
    id: run.id,
    created_at: Math.floor(run.createdAt / 1000),
    completed_at: Math.floor(at / 1000),
    output: [],
    usage: null,
    session_id: run.sessionId,
  };
  const end = { state: 'failed', error, usage: null, output: [], sessionState: undefined } as const;
  return { run, firstSeq: run.nextSeq, lines: [serializeEvent(last)], steps: [], end, at };
}
