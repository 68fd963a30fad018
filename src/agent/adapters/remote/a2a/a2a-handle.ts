/** The handle of an exchange: its task and its context. */
export function handleOf(taskId: string, contextId: string): string {
  return JSON.stringify([taskId, contextId]);
}

/** The task of a handle. */
export function taskIn(handle: string): string {
  return (JSON.parse(handle) as readonly string[])[0] ?? '';
}

/** The context of a handle. */
export function contextIn(handle: string): string {
  return (JSON.parse(handle) as readonly string[])[1] ?? '';
}
