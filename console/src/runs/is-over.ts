const OVER: ReadonlySet<string> = new Set(['completed', 'incomplete', 'failed', 'canceled', 'interrupted']);

/** Whether a run with this status is over: its log no longer grows. */
export function isOver(status: string): boolean {
  return OVER.has(status);
}
