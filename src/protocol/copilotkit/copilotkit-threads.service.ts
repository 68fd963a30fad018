import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/index.js';
import { AppError, isoTime, type JsonObject, type Principal } from '../../common/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { type SessionMessage, Sessions, type SessionView } from '../../agent/session/index.js';
import type { AgUiEvent, AgUiMessage } from '../ag-ui-events/index.js';
import type { StreamReader } from '../http/index.js';
import { RunStreams } from '../wire/index.js';
import { CopilotKitWire } from './copilotkit.wire.js';
import { ThreadReplays } from './thread-replay.js';

/** How many sessions or runs, and how many messages, are read at once. */
const PAGE = 100;
/** Messages that are read at once. */
const MESSAGES_PAGE = 500;

/** The `createdById` of threads without a user. */
const ANONYMOUS = 'anonymous';

/** A thread as CopilotKit lists it. Times are ISO 8601. */
export interface CopilotThread {
  /** The session's id. */
  readonly id: string;
  /** Null until the client names the thread. */
  readonly name: string | null;
  /** The agent of the last run; `default` before the first one. */
  readonly agentId: string;
  /** The tenant. */
  readonly organizationId: string;
  /** The user, or a fixed name for threads of unnamed users. */
  readonly createdById: string;
  /** Archived threads are left out of lists unless the query asks for them. */
  readonly archived: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Which threads to list. */
export interface ThreadsQuery {
  /** Only threads whose last run was of this agent type. */
  readonly agentType?: string | undefined;
  /** False: only threads that are not archived. */
  readonly includeArchived: boolean;
  /** From 1 to 200. */
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** CopilotKit's threads, which are sessions. Their name and whether they are archived is metadata. */
@Injectable()
export class CopilotThreads {
  constructor(
    private readonly sessions: Sessions,
    private readonly runs: Runs,
    private readonly streams: RunStreams,
    private readonly wire: CopilotKitWire,
    private readonly replays: ThreadReplays,
  ) {}

  /** The caller's threads; without authentication, those of the user that the header names, or those without a user. */
  async list(
    caller: Caller,
    { agentType, includeArchived, limit, cursor }: ThreadsQuery,
  ): Promise<{ threads: CopilotThread[]; nextCursor: string | null }> {
    const user = caller.headerUser();
    const { items, nextCursor = null } = await this.sessions.list(caller.actingFor(user), {
      limit,
      ...(cursor !== undefined && { cursor }),
      unowned: caller.identity === undefined && user === undefined,
      agentType,
      unlessTrue: includeArchived ? undefined : 'archived',
    });
    return { threads: items.map((view) => threadOf(caller.actingFor(user, view.sessionId), view)), nextCursor };
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async messages(principal: Principal, threadId: string): Promise<readonly AgUiMessage[]> {
    await this.require(principal, threadId);
    const found: SessionMessage[] = [];
    for (let after = 0, more = true; more; after = found.at(-1)?.seq ?? after) {
      const query = { limit: MESSAGES_PAGE, after, order: 'asc' } as const;
      const page = await this.sessions.messages(principal, threadId, query);
      found.push(...page);
      more = page.length === MESSAGES_PAGE;
    }
    const messages = found.map(({ message }) => message);
    return this.replays.shown(messages, principal, 'v0');
  }

  /** The events of the finished runs up to the first unfinished one. @throws AppError SESSION_NOT_FOUND */
  async events(principal: Principal, threadId: string, client: StreamReader): Promise<readonly AgUiEvent[]> {
    await this.require(principal, threadId);
    const events: AgUiEvent[] = [];
    const replay = this.replays.open({
      generation: 'v0',
      frameOf: (event) => {
        events.push(event);
        return '';
      },
    });
    for (const run of await this.finishedRuns(principal, threadId)) {
      const encoder = await replay.encoderOf(run);
      const expired = (one: RunView): Promise<readonly string[]> => replay.expired(one);
      const options = { wire: this.wire, encoder, expired };
      const stream = this.streams.follow(run, { gone: client.gone }, options);
      await stream.sendTo(() => Promise.resolve());
    }
    return events;
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async state(principal: Principal, threadId: string): Promise<JsonObject> {
    return (await this.require(principal, threadId)).state;
  }

  /** Renames, archives or restores a thread. @throws AppError SESSION_NOT_FOUND */
  async change(
    principal: Principal,
    threadId: string,
    change: { readonly name?: string | null; readonly archived?: boolean },
  ): Promise<CopilotThread> {
    const { metadata } = await this.require(principal, threadId);
    return threadOf(principal, await this.sessions.saveMetadata(principal, threadId, { ...metadata, ...change }));
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async remove(principal: Principal, threadId: string, caller: Caller): Promise<void> {
    await this.runs.removeSession(principal, threadId, caller.origin());
  }

  /**
   * Removes the threads that `list` lists for the caller, archived ones too. Returns how many.
   *
   * @throws AppError SESSION_BUSY when a run of one of them does not end
   */
  async clear(caller: Caller, agentType: string | undefined): Promise<number> {
    let removed = 0;
    for (const id of await this.threadIds(caller, agentType)) {
      if (await this.removeIfPresent(caller.actingFor(caller.headerUser(), id), id, caller)) removed += 1;
    }
    return removed;
  }

  /** The ids of all threads, collected before the first one is deleted: deleting would move the pages. */
  private async threadIds(caller: Caller, agentType: string | undefined): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await this.list(caller, { agentType, includeArchived: true, limit: PAGE, cursor });
      ids.push(...page.threads.map(({ id }) => id));
      if (page.nextCursor === null) return ids;
      cursor = page.nextCursor;
    }
  }

  /** False when another request has removed it. */
  private async removeIfPresent(principal: Principal, threadId: string, caller: Caller): Promise<boolean> {
    try {
      await this.remove(principal, threadId, caller);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'SESSION_NOT_FOUND') return false;
      throw error;
    }
  }

  /** @throws AppError SESSION_NOT_FOUND */
  private async require(principal: Principal, threadId: string): Promise<SessionView> {
    const view = await this.sessions.view(principal, threadId);
    if (!view) throw new AppError('SESSION_NOT_FOUND', `Unknown thread ${threadId}`);
    return view;
  }

  /** In their order. */
  private async finishedRuns(principal: Principal, threadId: string): Promise<readonly RunView[]> {
    const runs: RunView[] = [];
    for (let more = true; more;) {
      const before = runs.at(-1)?.ordinal;
      const page = await this.runs.list(principal, threadId, { limit: PAGE, ...(before !== undefined && { before }) });
      runs.push(...page);
      more = page.length === PAGE;
    }
    runs.reverse();
    const unfinished = runs.findIndex(({ finishedAt }) => finishedAt === null);
    return unfinished < 0 ? runs : runs.slice(0, unfinished);
  }
}

function threadOf({ tenantId, userId }: Principal, view: SessionView): CopilotThread {
  const { name, archived } = view.metadata;
  return {
    id: view.sessionId,
    name: typeof name === 'string' ? name : null,
    agentId: view.agentType ?? 'default',
    organizationId: tenantId,
    createdById: userId === view.sessionId ? ANONYMOUS : userId,
    archived: archived === true,
    createdAt: isoTime(view.createdAt),
    updatedAt: isoTime(view.updatedAt),
  };
}
