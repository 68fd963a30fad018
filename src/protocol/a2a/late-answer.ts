import type { StreamableFile } from '@nestjs/common';
import type { ActiveStreams } from '../http/index.js';

/**
 * An answer that may take long. If it does, a blank goes out before it again and again, which readers of JSON skip: the
 * stock client of Python gives up after five seconds without a byte (contract a2a, section 5).
 *
 * @param options.failed the body in place of one that fails after the first blank, when the status has been sent
 */
export async function lateAnswer(
  active: ActiveStreams,
  work: Promise<object>,
  options: { readonly everyMs: number; readonly type: string; readonly failed: (error: unknown) => object },
): Promise<object | StreamableFile> {
  const { everyMs, type, failed } = options;
  const quick = await within(work, everyMs);
  if (quick) return quick.value;
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    const answer = work.catch(failed);
    for (;;) {
      yield Buffer.from(' ');
      const found = await within(answer, everyMs);
      if (!found) continue;
      yield Buffer.from(JSON.stringify(found.value));
      return;
    }
  }
  return active.binary(body(), type);
}

/** The value of a promise if it has one in time. @throws what it is rejected with in time */
async function within<T>(work: Promise<T>, milliseconds: number): Promise<{ readonly value: T } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
