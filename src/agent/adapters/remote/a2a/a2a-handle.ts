/** The handle of an exchange: its task, which is empty where a message was the whole answer, and its context. */
export function handleOf(taskId: string, contextId: string): string {
  return JSON.stringify([taskId, contextId]);
}

/** The task of a handle. */
export function taskIn(handle: string): string {
  return partsOf(handle)[0] ?? '';
}

/** The context of a handle. */
export function contextIn(handle: string): string {
  return partsOf(handle)[1] ?? '';
}

/** Nothing is known of an exchange without a handle. */
function partsOf(handle: string): readonly string[] {
  return handle === '' ? [] : (JSON.parse(handle) as readonly string[]);
}
