import type { Run } from '../api/types.js';

/** A word for how something ended or stands, and its colour. */
export interface Word {
  readonly word: string;
  readonly tone: 'info' | 'success' | 'warning' | 'error' | 'neutral';
}

/**
 * The words of the console for how runs, calls, approvals and questions stand or ended, by the states of the server. They
 * are the same on every page.
 */
const WORDS: Readonly<Record<string, Word>> = {
  queued: { word: 'Queued', tone: 'info' },
  running: { word: 'Running', tone: 'info' },
  completed: { word: 'Completed', tone: 'success' },
  incomplete: { word: 'Cut short', tone: 'warning' },
  failed: { word: 'Failed', tone: 'error' },
  canceled: { word: 'Stopped', tone: 'neutral' },
  interrupted: { word: 'Interrupted', tone: 'warning' },
  // Calls that were not made, or of which nobody knows.
  denied: { word: 'Denied', tone: 'error' },
  refused: { word: 'Refused by policy', tone: 'error' },
  invalid: { word: 'Invalid call', tone: 'error' },
  expired: { word: 'Not answered in time', tone: 'warning' },
  in_doubt: { word: 'In doubt', tone: 'warning' },
  // What people are asked.
  pending: { word: 'Waits', tone: 'warning' },
  approved: { word: 'Approved', tone: 'success' },
  changed: { word: 'Approved with changes', tone: 'success' },
  answered: { word: 'Answered', tone: 'success' },
  cancelled: { word: 'Not answered', tone: 'neutral' },
  // Interrupted runs.
  'waits-approval': { word: 'Waits for approval', tone: 'warning' },
  'waits-input': { word: 'Waits for an answer', tone: 'warning' },
  'waits-client': { word: 'Waits for the client', tone: 'warning' },
  continued: { word: 'Continued', tone: 'neutral' },
  unanswered: { word: 'Not answered', tone: 'neutral' },
  // Calls in a conversation.
  writing: { word: 'Being written', tone: 'info' },
  waiting: { word: 'Waits', tone: 'warning' },
};

/** The word for a state, and its colour; the state itself if the console has none. */
export function wordOf(state: string): Word {
  return WORDS[state] ?? { word: state, tone: 'neutral' };
}

/** The word for a state; the state itself if the console has none. */
export function outcomeWord(state: string): string {
  return wordOf(state).word;
}

/** The states of interrupts that nobody answered. */
const UNANSWERED: ReadonlySet<string> = new Set(['cancelled', 'expired']);

/** How a run stands: for an interrupted one, what it waits for, or whether it went on. */
export function stateOf({ status, waitsFor, interrupts }: Pick<Run, 'status' | 'waitsFor' | 'interrupts'>): string {
  if (status !== 'interrupted') return status;
  if (waitsFor !== null) return `waits-${waitsFor}`;
  // A run that went on without an answer is named, too.
  const hasNoAnswer = interrupts.length > 0 && interrupts.every((one) => UNANSWERED.has(one.status));
  return hasNoAnswer ? 'unanswered' : 'continued';
}
