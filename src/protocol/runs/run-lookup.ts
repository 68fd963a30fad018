import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AppError, type Principal, userReach } from '../../common/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { sessionOwner } from '../wire/index.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Runs that are looked at at once when the next of a thread is sought. */
const WINDOW = 50;

/** A thread's id as it is stored: UUIDs are lower-case, ids of other wires are as they are. */
export function canonicalThreadId(threadId: string): string {
  return UUID.test(threadId) ? threadId.toLowerCase() : threadId;
}

/** Finds runs by what clients of this wire know of them. What is another user's is unknown. */
@Injectable()
export class RunLookup {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
  ) {}

  /** The user that a request on a thread acts for. @throws AppError as `sessionOwner` */
  ownerOf(caller: Caller, threadId: string): Promise<Principal> {
    return sessionOwner(this.sessions, caller, canonicalThreadId(threadId));
  }

  /** A run of a thread; runs of other wires go by the server's id. @throws AppError RUN_NOT_FOUND */
  async run(principal: Principal, threadId: string, runId: string): Promise<RunView> {
    const sessionId = canonicalThreadId(threadId);
    const own = await this.runs.findByKey(principal, sessionId, runId);
    if (own) return own;
    const run = await this.runs.view(userReach(principal), runId);
    if (run.sessionId !== sessionId || run.runKey !== null) throw new AppError('RUN_NOT_FOUND');
    return run;
  }

  /** A run by the server's id. @throws AppError RUN_NOT_FOUND */
  task({ identity, principal, reach }: Caller, taskId: string): Promise<RunView> {
    return this.runs.view(identity ? reach : userReach(principal), taskId);
  }

  /** The newest run of a thread. @throws AppError SESSION_NOT_FOUND when the thread has none */
  async newest(principal: Principal, threadId: string): Promise<RunView> {
    const [run] = await this.runs.list(principal, canonicalThreadId(threadId), { limit: 1 });
    if (!run) throw new AppError('SESSION_NOT_FOUND');
    return run;
  }

  /** A thread's run with an ordinal; undefined when there is none. */
  async byOrdinal(principal: Principal, threadId: string, ordinal: number): Promise<RunView | undefined> {
    const [run] = await this.runs.list(principal, canonicalThreadId(threadId), { limit: 1, before: ordinal + 1 });
    return run?.ordinal === ordinal ? run : undefined;
  }

  /** The first run of a thread after an ordinal; undefined when there is none yet. Ordinals may have gaps. */
  async after(principal: Principal, threadId: string, ordinal: number): Promise<RunView | undefined> {
    const sessionId = canonicalThreadId(threadId);
    let next: RunView | undefined;
    for (let before: number | undefined; ;) {
      const page = await this.runs.list(principal, sessionId, { limit: WINDOW, ...(before && { before }) });
      const later = page.filter((run) => run.ordinal > ordinal);
      next = later.at(-1) ?? next;
      if (later.length < WINDOW) return next;
      before = next?.ordinal;
    }
  }

  /** A thread that is there, with or without runs. @throws AppError SESSION_NOT_FOUND */
  async thread(principal: Principal, threadId: string): Promise<void> {
    if (!(await this.sessions.view(principal, canonicalThreadId(threadId)))) throw new AppError('SESSION_NOT_FOUND');
  }
}
