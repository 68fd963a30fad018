import type { Run, Session, Span } from '../api/types.js';

/** A word for how something ended or stands, and its colour. */
export interface Word {
  readonly word: string;
  readonly tone: 'info' | 'success' | 'warning' | 'error' | 'neutral';
}

/**
 * The words of the console for how runs, calls, approvals and questions stand or ended, by the states of the server; states
 * of other things are behind a word for what they are of. They are the same on every page (docs/glossary.md, Outcomes).
 */
const WORDS: Readonly<Record<string, Word>> = {
  queued: { word: 'Queued', tone: 'info' },
  running: { word: 'Running', tone: 'info' },
  completed: { word: 'Completed', tone: 'success' },
  incomplete: { word: 'Cut short', tone: 'warning' },
  failed: { word: 'Failed', tone: 'error' },
  canceled: { word: 'Stopped', tone: 'neutral' },
  // The state at the server of all runs that have asked something, for filters: a row says which of both.
  interrupted: { word: 'Waits or continued', tone: 'warning' },
  // Calls that were not made, or of which nobody knows.
  denied: { word: 'Denied', tone: 'error' },
  refused: { word: 'Refused by policy', tone: 'error' },
  invalid: { word: 'Invalid call', tone: 'error' },
  expired: { word: 'Not answered in time', tone: 'warning' },
  in_doubt: { word: 'In doubt', tone: 'warning' },
  // What people are asked.
  pending: { word: 'Waits', tone: 'warning' },
  approved: { word: 'Approved', tone: 'success' },
  edited: { word: 'Approved with changes', tone: 'success' },
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
  // Decisions of the policy about a call that is only tried out.
  'policy-allow': { word: 'Allowed', tone: 'success' },
  'policy-ask': { word: 'Needs approval', tone: 'warning' },
  'policy-deny': { word: 'Refused by policy', tone: 'error' },
  'policy-invalid': { word: 'Invalid call', tone: 'error' },
  // MCP servers.
  'mcp-idle': { word: 'Not used yet', tone: 'neutral' },
  'mcp-connecting': { word: 'Connecting', tone: 'info' },
  'mcp-up': { word: 'Connected', tone: 'success' },
  'mcp-down': { word: 'Not reachable', tone: 'error' },
  // Remote agents.
  'remote-idle': { word: 'Not used yet', tone: 'neutral' },
  'remote-up': { word: 'Connected', tone: 'success' },
  'remote-down': { word: 'Not reachable', tone: 'error' },
  'loss-continue': { word: 'Continues where it stopped', tone: 'neutral' },
  'loss-resend': { word: 'Begins again', tone: 'neutral' },
  'loss-fail': { word: 'Fails', tone: 'neutral' },
  // What becomes of a run of an agent whose worker was lost.
  'recovery-journal': { word: 'Continues where it stopped', tone: 'neutral' },
  'recovery-restart': { word: 'Begins again', tone: 'neutral' },
  'recovery-fail': { word: 'Fails', tone: 'neutral' },
  // Trials of a model.
  'trial-works': { word: 'Works', tone: 'success' },
  'trial-failed': { word: 'Failed', tone: 'error' },
  'trial-unsupported': { word: 'Not supported', tone: 'warning' },
  'trial-skipped': { word: 'Not tried', tone: 'neutral' },
  // Credentials and tenants.
  'key-active': { word: 'Active', tone: 'success' },
  'key-expired': { word: 'Expired', tone: 'neutral' },
  'key-revoked': { word: 'Revoked', tone: 'neutral' },
  'tenant-active': { word: 'Active', tone: 'success' },
  'tenant-suspended': { word: 'Suspended', tone: 'warning' },
  // Erasures of users.
  'erasure-erasing': { word: 'Erasing', tone: 'info' },
  'erasure-clearing': { word: 'Clearing', tone: 'info' },
  'erasure-done': { word: 'Erased', tone: 'success' },
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

/** What tells how a run stands. */
type Standing = Pick<Run, 'status' | 'waitsFor' | 'isContinued' | 'interrupts'>;

/** The state of a run: for an interrupted one, what it waits for, or whether it went on. */
export function stateOf({ status, waitsFor, isContinued, interrupts }: Standing): string {
  if (status !== 'interrupted') return status;
  if (waitsFor !== null) return `waits-${waitsFor}`;
  // Results of tools of the client may have been left, too.
  if (interrupts.length === 0) return isContinued ? 'continued' : 'unanswered';
  // A run that went on without an answer is named, too.
  return interrupts.every((one) => UNANSWERED.has(one.status)) ? 'unanswered' : 'continued';
}

/** The state of the newest run of a session: none has continued it. */
export function stateOfLast({ status, waitsFor }: NonNullable<Session['lastRun']>): string {
  return stateOf({ status: status as Run['status'], waitsFor, isContinued: false, interrupts: [] });
}

/** The state of a question to a person: approvals with other arguments have a word of their own. */
export function askedState({ status, isEdited }: { readonly status: string; readonly isEdited: boolean }): string {
  return status === 'approved' && isEdited ? 'edited' : status;
}

/** The state of a span of a timeline: a question to a person waits. */
export function spanState({ kind, status }: Pick<Span, 'kind' | 'status'>): string {
  return status === 'running' && (kind === 'approval' || kind === 'input') ? 'pending' : status;
}
