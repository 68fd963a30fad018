import type { AgentOutcome } from '../../agent/index.js';
import { AppError, ERROR_CATALOGUE, type ErrorCode, type JsonObject, publicError } from '../../common/index.js';
import type { AgentResponse, ErrorModel, ResponseBuilder } from '../../events/index.js';
import type { RunWriter } from '../log/run-writer.js';
import type { RunEnd } from '../ports/run-log.js';
import type { FinalMessages } from './final-messages.js';
import type { StopKind } from './run-stop.js';

/** How a run comes to its end. */
export type Ending =
  | { readonly kind: 'outcome'; readonly outcome: AgentOutcome }
  | { readonly kind: 'error'; readonly error: ErrorModel }
  | { readonly kind: 'canceled' };

/** What is said of a run that ended before it began. */
export const WAITED_TOO_LONG = 'The run waited too long';

/** The ending for a thrown error: its public code and sentence. */
export function failure(error: unknown): Ending {
  return { kind: 'error', error: publicError(error) };
}

/** The ending for a code of the catalogue. */
export function failureOf(code: ErrorCode): Ending {
  return { kind: 'error', error: { code, message: ERROR_CATALOGUE[code].message } };
}

/** The ending of a run that was stopped, or undefined when it is somebody else's to end. */
export function stopped(kind: StopKind): Ending | undefined {
  if (kind === 'cancel') return { kind: 'canceled' };
  if (kind === 'timeout') return failure(new AppError('TIMEOUT'));
  if (kind === 'idle') return failure(new AppError('TIMEOUT', 'The run wrote nothing for too long'));
  return undefined;
}

/** What a run leaves in its session at its end. */
export interface LeftBehind {
  /** The new shared state; undefined when the run did not change it. */
  readonly sessionState: JsonObject | undefined;
  /** Know which messages the session has already. */
  readonly messages: FinalMessages;
}

/** Writes the terminal event and, in the same commit, the end of the run. */
export function writeEnding(
  ending: Ending,
  response: ResponseBuilder,
  writer: RunWriter,
  { sessionState, messages }: LeftBehind,
): void {
  const [state, last] = terminal(ending, response, writer);
  const asked = ending.kind === 'outcome' && ending.outcome.kind === 'interrupted' ? ending.outcome.asked : undefined;
  const output = messages.rest(last.output ?? []);
  const end: RunEnd = { state, error: last.error, usage: last.usage, output, sessionState };
  writer.finish(asked && asked.length > 0 ? { ...end, asked } : end);
}

function terminal(ending: Ending, response: ResponseBuilder, writer: RunWriter): [RunEnd['state'], AgentResponse] {
  if (ending.kind === 'canceled') return ['canceled', response.canceled()];
  if (ending.kind === 'error') return ['failed', response.failed(ending.error)];
  const { outcome } = ending;
  if (outcome.kind === 'completed') return ['completed', response.completed()];
  if (outcome.kind === 'incomplete') {
    return ['incomplete', response.incomplete({ code: outcome.reason, message: `The run was cut: ${outcome.reason}` })];
  }
  writer.emit({
    object: 'interrupt',
    id: `int_${response.getResponseData().id}`,
    reason: outcome.reason,
    message: outcome.message,
    call_ids: outcome.callIds,
    response_schema: outcome.responseSchema,
    items: (outcome.asked ?? []).map(({ item }) => item),
  });
  // The Agent API's clients end only on `completed`; the run itself is kept as interrupted.
  return ['interrupted', response.completed()];
}
