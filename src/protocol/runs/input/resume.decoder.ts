import { isPlainObject, type Json } from '../../../common/index.js';
import type { InterruptAnswer } from '../../../run/index.js';
import { RunsError } from '../runs.errors.js';
import type { Source } from './run-input.js';

/** Answers in one request. */
const MAX_ENTRIES = 100;
/** Characters of a run id, in Unicode code points. */
const MAX_RUN_ID = 128;

/** What a request to resume says. */
export interface ResumeRequest {
  /** At least one answer; each names its interrupt. */
  readonly answers: readonly InterruptAnswer[];
  /** The id of the run that goes on; the server chooses one when absent. */
  readonly runId: string | undefined;
}

/**
 * Decodes `{resume: [{interruptId, status, payload?}], runId?}`, AG-UI's answers to interrupts; the keys may
 * be written in snake_case. The payload of an approval is `{approved, reason?, editedArgs?}`.
 *
 * @throws AppError INVALID_RESUME naming the field
 */
export function decodeResume(body: unknown): ResumeRequest {
  if (!isPlainObject(body)) throw refusal('', 'the body must be an object');
  const { resume } = body;
  if (!Array.isArray(resume) || resume.length === 0) throw refusal('resume', 'must be a list that is not empty');
  if (resume.length > MAX_ENTRIES) throw refusal('resume', `must have at most ${MAX_ENTRIES} entries`);
  const runId = textOf(body, 'runId', 'run_id', '');
  if (runId !== undefined && [...runId].length > MAX_RUN_ID) throw refusal('runId', 'exceeds length limit');
  return { answers: resume.map((entry, index) => answerOf(entry, `resume[${index}]`)), runId };
}

/** @throws RunsError INVALID_RESUME naming the field */
function answerOf(entry: unknown, path: string): InterruptAnswer {
  if (!isPlainObject(entry)) throw refusal(path, 'must be an object');
  const interruptId = textOf(entry, 'interruptId', 'interrupt_id', path);
  if (interruptId === undefined) throw refusal(`${path}.interruptId`, 'is required');
  const { status, payload } = entry;
  if (status !== 'resolved' && status !== 'cancelled') {
    throw refusal(`${path}.status`, 'must be resolved or cancelled');
  }
  const { approve, reason, edited } = decisionOf(isPlainObject(payload) ? payload : {});
  return {
    interruptId,
    status,
    ...(typeof approve === 'boolean' && { approve }),
    ...(typeof reason === 'string' && { reason }),
    ...(edited !== null && { editedArguments: edited as Json }),
    ...(payload !== undefined && { payload: payload as Json }),
  };
}

/** What a payload says of an approval, in AG-UI's words; the values are not checked. */
function decisionOf(payload: Source): { approve: unknown; reason: unknown; edited: unknown } {
  return {
    approve: payload['approved'] ?? payload['approve'],
    reason: payload['reason'],
    edited: payload['editedArgs'] ?? payload['edited_args'] ?? null,
  };
}

/**
 *
 * A string under either spelling; undefined if it is absent. Strings are stored, so NUL and lone surrogates
 * are rejected.
 *
 * @throws RunsError INVALID_RESUME naming the field
 */
function textOf(source: Source, name: string, alias: string, path: string): string | undefined {
  const value = source[name] ?? source[alias] ?? undefined;
  if (value === undefined) return undefined;
  const isText = typeof value === 'string' && value !== '' && !value.includes('\0') && !/[\ud800-\udfff]/u.test(value);
  if (!isText) throw refusal(path === '' ? name : `${path}.${name}`, 'must be a string that is not empty');
  return value;
}

/** The error for one field of the request. */
function refusal(path: string, rule: string): RunsError {
  return new RunsError('INVALID_RESUME', undefined, { details: [{ path, message: `${path} ${rule}`.trim() }] });
}
