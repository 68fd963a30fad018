import { AppError, type ErrorCode } from '../../common/index.js';
import type { Interrupts } from '../../interrupt/index.js';
import type { AcceptedRun, RunRequest, Runs } from '../../run/index.js';

/** Where runs are accepted and questions looked up. */
export interface AcceptancePorts {
  readonly runs: Pick<Runs, 'accept' | 'findByKey'>;
  readonly interrupts: Pick<Interrupts, 'find' | 'pending'>;
}

/** What goes wrong between a client and the open questions of its thread. */
const INTERRUPT_CODES: ReadonlySet<ErrorCode> = new Set([
  'INTERRUPT_PENDING',
  'INTERRUPT_NOT_FOUND',
  'INTERRUPT_ALREADY_ANSWERED',
  'INTERRUPT_EXPIRED',
]);

/**
 * Accepts a run by the rules of AG-UI for open interrupts (contract ag-ui, section 2.5): a request for
 * a thread with open ones must answer all of them. A repeated request replays before any of that.
 *
 * @throws AppError INTERRUPT_PENDING naming those that are not answered; as `Runs.accept`
 */
export async function acceptRun(ports: AcceptancePorts, given: RunRequest): Promise<AcceptedRun> {
  const request = await withoutDeadCancels(ports, given);
  const { principal, sessionId, runKey } = request;
  const known = runKey === undefined ? undefined : await ports.runs.findByKey(principal, sessionId, runKey);
  if (!known) await checkCovered(ports, request);
  return ports.runs.accept(request);
}

/** True for errors of a resumption, which AG-UI tells with RUN_ERROR in a stream instead of a status. */
export function isInterruptError(error: unknown, request: Pick<RunRequest, 'answers'>): error is AppError {
  if (!(error instanceof AppError)) return false;
  return INTERRUPT_CODES.has(error.code) || (error.code === 'INVALID_PARAMETER' && (request.answers?.length ?? 0) > 0);
}

async function checkCovered({ interrupts }: AcceptancePorts, request: RunRequest): Promise<void> {
  const open = await interrupts.pending(request.principal, request.sessionId);
  const answered = new Set(request.answers?.map(({ interruptId }) => interruptId));
  const missing = open.map(({ id }) => id).filter((id) => !answered.has(id));
  if (missing.length === 0) return;
  const message = `The thread has ${missing.length} open interrupt(s) that resume does not answer: ${missing.join(', ')}`;
  throw new AppError('INTERRUPT_PENDING', message, { details: [{ path: 'resume', message }] });
}

/** To cancel what has expired is how a client says that it knows; there is nothing left to answer. */
async function withoutDeadCancels({ interrupts }: AcceptancePorts, request: RunRequest): Promise<RunRequest> {
  const { answers = [], principal } = request;
  if (!answers.some(({ status }) => status === 'cancelled')) return request;
  const living = await Promise.all(
    answers.map(async (answer) => {
      if (answer.status !== 'cancelled') return true;
      return (await interrupts.find(principal, answer.interruptId))?.status !== 'expired';
    }),
  );
  return { ...request, answers: answers.filter((_, index) => living[index]) };
}
