const POLL_MS = 5;
const TIMEOUT_MS = 20_000;

/**
 * Polls a condition until it holds: until it neither throws nor returns `false`. Returns its value. For
 * conditions that no event announces; await the event otherwise.
 *
 * @param what names the condition in the error
 * @throws the last error of the condition, or one that names the condition, when the time is over
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  what = 'the condition holds',
  timeoutMs = TIMEOUT_MS,
): Promise<Exclude<T, false>> {
  for (const deadline = Date.now() + timeoutMs; ;) {
    try {
      const value = await condition();
      if (value !== false) return value as Exclude<T, false>;
      if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
