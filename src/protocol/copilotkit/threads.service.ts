import { Injectable } from '@nestjs/common';
import { AppError, type JsonObject, type Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { Sessions, type SessionView } from '../../session/index.js';
import { type AgUiEvent, type AgUiMessage, threadMessages, toAgUiMessages } from '../ag-ui-events/index.js';
import { ANONYMOUS_USER, requestPrincipal } from '../http/index.js';
import { ThreadReplay } from './thread-replay.js';

const PAGE = 100;

/** A thread as CopilotKit lists it. Times are ISO 8601. */
export interface CopilotThread {
  readonly id: string;
  readonly name: string | null;
  readonly agentId: string;
  readonly organizationId: string;
  readonly createdById: string;
  readonly archived: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Which threads to list. */
export interface ThreadsQuery {
  /** Only threads whose last run was of this agent type. */
  readonly agentType?: string | undefined;
  readonly includeArchived: boolean;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Threads for CopilotKit: sessions under another name. Their name and whether they are archived is metadata. */
@Injectable()
export class CopilotThreads {
  constructor(
    private readonly sessions: Sessions,
    private readonly runs: Runs,
    private readonly replay: ThreadReplay,
  ) {}

  /** @param userId undefined: the threads whose user nobody named */
  async list(
    userId: string | undefined,
    query: ThreadsQuery,
  ): Promise<{ threads: CopilotThread[]; nextCursor: string | null }> {
    const { limit, cursor } = query;
    const page = await this.sessions.list(requestPrincipal(userId), {
      limit,
      ...(cursor !== undefined && { cursor }),
      ...(userId === undefined && { unowned: true }),
    });
    const threads = await Promise.all(
      page.items.map((view) => this.threadOf(requestPrincipal(userId ?? view.sessionId), view)),
    );
    const wanted = threads.filter(
      ({ archived, agentId }) =>
        (query.includeArchived || !archived) && (query.agentType === undefined || agentId === query.agentType),
    );
    return { threads: wanted, nextCursor: page.nextCursor ?? null };
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async messages(principal: Principal, threadId: string): Promise<readonly AgUiMessage[]> {
    await this.require(principal, threadId);
    return toAgUiMessages(await threadMessages({ sessions: this.sessions }, principal, threadId), 'v0');
  }

  /** The events of all runs so far that are over. @throws AppError SESSION_NOT_FOUND */
  async events(principal: Principal, threadId: string): Promise<readonly AgUiEvent[]> {
    await this.require(principal, threadId);
    const events: AgUiEvent[] = [];
    const request = { principal, threadId, generation: 'v0', finishedOnly: true } as const;
    for await (const batch of this.replay.events(request)) events.push(...batch);
    return events;
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async state(principal: Principal, threadId: string): Promise<JsonObject> {
    return (await this.require(principal, threadId)).state;
  }

  /** Renames, archives, or takes out of the archive. @throws AppError SESSION_NOT_FOUND */
  async change(
    principal: Principal,
    threadId: string,
    change: { readonly name?: string | null; readonly archived?: boolean },
  ): Promise<CopilotThread> {
    const { metadata } = await this.require(principal, threadId);
    const view = await this.sessions.saveMetadata(principal, threadId, { ...metadata, ...change });
    return this.threadOf(principal, view);
  }

  /** @throws AppError SESSION_NOT_FOUND */
  async remove(principal: Principal, threadId: string): Promise<void> {
    await this.runs.removeSession(principal, threadId);
  }

  /**
   * Removes all threads of a user, or those whose last run was of one agent type. Returns how many.
   *
   * @throws AppError SESSION_BUSY when a run of one of them does not end
   */
  async clear(userId: string, agentType: string | undefined): Promise<number> {
    let removed = 0;
    for (const id of await this.threadIds(userId, agentType)) {
      if (await this.removeIfThere(requestPrincipal(userId), id)) removed += 1;
    }
    return removed;
  }

  private async threadIds(userId: string, agentType: string | undefined): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await this.list(userId, { agentType, includeArchived: true, limit: PAGE, cursor });
      ids.push(...page.threads.map(({ id }) => id));
      if (page.nextCursor === null) return ids;
      cursor = page.nextCursor;
    }
  }

  /** False when somebody else was faster. */
  private async removeIfThere(principal: Principal, threadId: string): Promise<boolean> {
    try {
      await this.remove(principal, threadId);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'SESSION_NOT_FOUND') return false;
      throw error;
    }
  }

  private async require(principal: Principal, threadId: string): Promise<SessionView> {
    const view = await this.sessions.view(principal, threadId);
    if (!view) throw new AppError('SESSION_NOT_FOUND', `There is no thread ${threadId}`);
    return view;
  }

  private async threadOf(principal: Principal, view: SessionView): Promise<CopilotThread> {
    const [run] = await this.runs.list(principal, view.sessionId, { limit: 1 });
    const { name, archived } = view.metadata;
    return {
      id: view.sessionId,
      name: typeof name === 'string' ? name : null,
      agentId: run?.agentType ?? 'default',
      organizationId: principal.tenantId,
      createdById: principal.userId === view.sessionId ? ANONYMOUS_USER : principal.userId,
      archived: archived === true,
      createdAt: new Date(view.createdAt).toISOString(),
      updatedAt: new Date(view.updatedAt).toISOString(),
    };
  }
}
