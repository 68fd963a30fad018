import { setTimeout as pause } from 'node:timers/promises';
import type { BackpressureGate } from '../../common/index.js';
import type { Runs, RunView } from '../../run/index.js';
import { acceptedTail, encodeTail, type EncoderFactory, type SkipFrames, type FrameEncoder } from '../http/index.js';

/** How often a session is asked for the run that goes on: at first and at most, in milliseconds. */
const POLL_FIRST_MS = 20;
const POLL_MOST_MS = 500;
const PAGE = 100;

/** What is read, and where from. */
export interface SessionTailOptions {
  readonly runs: Pick<Runs, 'list' | 'tail' | 'view'>;
  readonly tenantId: string;
  readonly run: RunView;
  readonly factory: EncoderFactory;
  /** Counts the frames over all runs; begins with the encoder of `run`. */
  readonly cursor: SkipFrames;
  readonly gate: BackpressureGate;
  readonly signal: AbortSignal;
}

/**
 * The frames of a run and of the later runs of its session, one after another, as one stream. Waits
 * for the next one as long as the last one waits itself (for a person, or for a tool of a client).
 *
 * @param verify called when nothing more follows: throws when the cursor lies beyond the last frame
 */
export async function* sessionTail(
  options: SessionTailOptions,
  verify: () => void,
): AsyncGenerator<readonly string[], void, void> {
  const { runs, tenantId, cursor, factory, gate, signal } = options;
  const endless = withoutEnd(cursor);
  for (let run: RunView | undefined = options.run; run;) {
    const principal = { tenantId, userId: run.userId };
    const tail = runs.tail(principal, run.runId, { gate, signal });
    // The first batch of a finished run comes at once, or says before the answer's head that its events are gone.
    yield* encodeTail(run.finishedAt === null ? acceptedTail(tail) : tail, endless);
    run = await nextRun(options, run);
    if (run) cursor.goOn(factory(run));
  }
  if (signal.aborted) return;
  verify();
  const last = cursor.end();
  if (last.length > 0) yield last;
}

/** The next run of the session, awaited while the given one is interrupted; undefined when nothing follows. */
async function nextRun(options: SessionTailOptions, last: RunView): Promise<RunView | undefined> {
  const { runs, tenantId, signal } = options;
  const principal = { tenantId, userId: last.userId };
  for (let wait = POLL_FIRST_MS; !signal.aborted; wait = Math.min(POLL_MOST_MS, wait * 2)) {
    let next: RunView | undefined;
    for (let page = await runs.list(principal, last.sessionId, { limit: PAGE }); ;) {
      const later = page.filter(({ ordinal }) => ordinal > last.ordinal);
      next = later.at(-1) ?? next;
      if (later.length < PAGE || !next) break;
      page = await runs.list(principal, last.sessionId, { limit: PAGE, before: next.ordinal });
    }
    if (next) return next;
    if ((await runs.view(principal, last.runId)).state !== 'interrupted') return undefined;
    await pause(wait, undefined, { signal, ref: false }).catch(() => undefined);
  }
  return undefined;
}

/** The frames of one run of several: what ends a stream comes once, after the last. */
function withoutEnd(cursor: SkipFrames): FrameEncoder {
  return {
    joinable: cursor.joinable,
    prepare: (events) => cursor.prepare(events),
    next: (event) => cursor.next(event),
    end: () => [],
  };
}
