import { json } from '../api/client.js';
import type { Interrupt, InterruptAnswer, Page } from '../api/types.js';
import { callIdOf, type EntryOf, type Transcript } from './transcript.js';
import type { AnswerTo } from './wire.js';

/** How many interrupts of a session are looked at. */
const MOST_ASKED = 100;

/** The newest interrupts of a session, oldest first. */
export async function askedIn(session: string): Promise<readonly Interrupt[]> {
  const query = { session_id: session, limit: MOST_ASKED };
  return [...(await json<Page<Interrupt>>('interrupts', { query })).data].reverse();
}

/** Answers an interrupt without the wire. @returns the interrupt as it is then */
export async function answerDirectly({ interruptId, kind, ...answer }: AnswerTo): Promise<Interrupt> {
  const { cancel } = answer;
  const body = cancel ? { cancel } : kind === 'approval' ? answer : { payload: answer.payload };
  return json<Interrupt>(`interrupts/${encodeURIComponent(interruptId)}`, { body });
}

/** Shows what was decided, and says so of the calls that it was about. What still waits is left out. */
export function noteDecisions(transcript: Transcript, interrupts: readonly Interrupt[]): void {
  for (const interrupt of interrupts) {
    const { id, status, callId, decision } = interrupt;
    if (status === 'pending') continue;
    transcript.put({ kind: 'decision', id: decisionId(id), interrupt });
    if (callId === null) continue;
    const edited = decision?.argumentsText ?? decision?.arguments;
    const called = edited === undefined ? undefined : typeof edited === 'string' ? edited : JSON.stringify(edited);
    const isOf = (call: EntryOf<'call'>): boolean => callIdOf(call) === callId;
    transcript.changeCalls(isOf, { called, done: true });
    transcript.changeCalls((call) => isOf(call) && call.outcome === undefined, { outcome: status });
  }
}

/** Takes back what was shown of decisions that the server has refused, or not made. */
export function forgetDecisions(transcript: Transcript, shown: readonly Interrupt[]): void {
  const interrupts = shown.filter((one) => isNoted(transcript, one));
  if (interrupts.length === 0) return;
  const ids = new Set(interrupts.map(({ id }) => decisionId(id)));
  const calls = new Set(interrupts.map(({ callId }) => callId));
  transcript.remove(({ id }) => ids.has(id));
  transcript.changeCalls((call) => calls.has(callIdOf(call)), { outcome: undefined, called: undefined });
}

/** Whether a decision is shown. */
export function isNoted(transcript: Transcript, { id }: Interrupt): boolean {
  return transcript.get(decisionId(id)) !== undefined;
}

/** An interrupt as it is after an answer, before the server has said so. */
export function withAnswer(
  interrupt: Interrupt,
  { approve, reason, arguments: edited, payload, cancel }: InterruptAnswer,
): Interrupt {
  const answeredAt = new Date().toISOString();
  if (cancel) return { ...interrupt, status: 'cancelled', answeredAt };
  if (interrupt.kind === 'input')
    return { ...interrupt, status: 'answered', answeredAt, decision: { payload } as never };
  const decision = {
    approve: approve === true,
    ...(reason !== undefined && { reason }),
    ...(edited !== undefined && { arguments: edited }),
  };
  return { ...interrupt, status: approve ? 'approved' : 'denied', answeredAt, decision };
}

/** An interrupt that a message took the place of. */
export function withoutAnswer(interrupt: Interrupt): Interrupt {
  const decision = { reason: 'A message was sent instead.' };
  return { ...interrupt, status: 'cancelled', answeredAt: new Date().toISOString(), decision };
}

function decisionId(id: string): string {
  return `decision-${id}`;
}
