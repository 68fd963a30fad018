/**
 * Resolves in the next turn of the event loop. To be awaited between the parts of long work, so that other requests and
 * streams do not wait for all of it.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
