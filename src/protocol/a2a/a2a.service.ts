import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import type { JsonObject } from '../../common/index.js';
import { type ChainStateFilter, type RunChain, RunChains, type RunView } from '../../run/index.js';
import type { StreamReader } from '../http/index.js';
import { A2aError } from './a2a.errors.js';
import type { A2aMessage, ListRequest, SendRequest, Task, TaskState } from './a2a.types.js';
import type { SendOptions } from './placement.js';
import { Submission } from './submission.js';
import { TaskEnds } from './task-ends.js';
import { Tasks } from './tasks.js';

/** The outcome of sending a message: a task, or a message in place of one. */
export type Sent =
  { readonly kind: 'task'; readonly task: Task } | { readonly kind: 'message'; readonly message: A2aMessage };

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly totalSize: number;
}

/** Which chains of runs are tasks in a state. */
const CHAINS_OF: Readonly<Record<TaskState, readonly RunChain['state'][]>> = {
  submitted: ['queued'],
  working: ['queued', 'running'],
  'input-required': ['waiting'],
  'auth-required': ['waiting'],
  completed: ['completed', 'incomplete'],
  failed: ['failed', 'expired'],
  canceled: ['canceled', 'closed'],
  rejected: ['rejected'],
};

/** The methods of the wire, whatever their version and binding (contract a2a, section 5). */
@Injectable()
export class A2aService {
  constructor(
    private readonly chains: RunChains,
    private readonly tasks: Tasks,
    private readonly submission: Submission,
    private readonly ends: TaskEnds,
  ) {}

  /** Sends a message, and waits for the end of its task or for a question, unless it says otherwise. */
  async send(
    request: SendRequest,
    options: SendOptions,
    caller: Caller,
    reader: StreamReader,
    accepted?: (run: RunView) => Promise<void>,
  ): Promise<Sent> {
    const { run, created } = await this.submission.submit(request, options, caller);
    if (created && accepted) await accepted(run);
    if (!request.returnsImmediately) await this.ends.blocked(run, reader.gone);
    const reply = await this.ends.replyOf(run, reader.gone);
    if (reply) return { kind: 'message', message: reply };
    return { kind: 'task', task: cut(await this.tasks.taskOf(run), request.historyLength) };
  }

  /** A task by its id. @throws A2aError TASK_NOT_FOUND */
  async get(
    taskId: string,
    agentType: string | undefined,
    historyLength: number | undefined,
    caller: Caller,
  ): Promise<Task> {
    const chain = await this.tasks.find(caller.reach, taskId, agentType);
    return cut((await this.tasks.read(chain)).fold.task(), historyLength);
  }

  /** The caller's tasks, the last changed first. */
  async list(request: ListRequest, agentType: string | undefined, caller: Caller): Promise<TaskPage> {
    const { contextId, state, pageSize, pageToken, changedAfter, includeArtifacts, historyLength } = request;
    const filter = [contextId ?? null, state ?? null, changedAfter ?? null, agentType ?? null];
    const page = await this.chains.list(caller.listReach, {
      limit: pageSize,
      ...(pageToken !== undefined && { cursor: cursorIn(pageToken, filter) }),
      ...(contextId !== undefined && { sessionId: contextId }),
      ...(state !== undefined && { states: this.chainsOf(state) }),
      ...(changedAfter !== undefined && { changedAfter }),
      ...(agentType !== undefined && { agentType }),
    });
    const tasks = await Promise.all(
      page.items.map(async (chain) => cut(await this.tasks.listed(chain, { includeArtifacts }), historyLength)),
    );
    const nextPageToken = page.nextCursor === undefined ? '' : tokenOf(page.nextCursor, filter);
    return { tasks, nextPageToken, totalSize: page.total };
  }

  /**
   * Cancels a task, and waits for its end.
   *
   * @throws A2aError TASK_NOT_FOUND; TASK_NOT_CANCELABLE for one that has ended otherwise
   */
  async cancel(taskId: string, agentType: string | undefined, caller: Caller): Promise<Task> {
    const chain = await this.tasks.find(caller.reach, taskId, agentType);
    const state = this.tasks.stateOf(chain);
    const { last } = chain;
    if (state === 'completed' || state === 'failed' || state === 'rejected') throw notCancelable(taskId, state);
    if (state !== 'canceled') await this.ends.cancel(last, caller.origin());
    const task = await this.tasks.taskOf(last);
    const end = task.status.state;
    if (end === 'completed' || end === 'failed' || end === 'rejected') throw notCancelable(taskId, end);
    return task;
  }

  private chainsOf(state: TaskState): readonly ChainStateFilter[] {
    const waitsFor = state === 'auth-required' || (state === 'input-required' && this.tasks.isOutOfBand);
    return CHAINS_OF[state]
      .map((one) => ({
        state: one,
        ...(one === 'queued' && { isFirst: state === 'submitted' }),
        ...(waitsFor && { waitsFor: state === 'auth-required' ? ('approvals' as const) : ('answers' as const) }),
      }))
      .filter(() => state !== 'auth-required' || this.tasks.isOutOfBand);
  }
}

/** The task with the last messages of its history alone. @param length undefined: all; 0: none */
export function cut(task: Task, length: number | undefined): Task {
  if (length === undefined || task.history.length <= length) return task;
  return { ...task, history: length === 0 ? [] : task.history.slice(-length) };
}

function notCancelable(taskId: string, state: TaskState): A2aError {
  return new A2aError('TASK_NOT_CANCELABLE', `The task is over: ${state}`, { taskId });
}

/** A place in a list, bound to what was asked for. */
function tokenOf(cursor: string, filter: JsonObject[string]): string {
  return Buffer.from(JSON.stringify([cursor, filter])).toString('base64url');
}

/** @throws A2aError INVALID_PARAMS for a token of another list */
function cursorIn(token: string, filter: JsonObject[string]): string {
  try {
    const [cursor, given] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    if (typeof cursor === 'string' && JSON.stringify(given) === JSON.stringify(filter)) return cursor;
  } catch {
    // No token of this server.
  }
  throw new A2aError('INVALID_PARAMS', 'pageToken must be that of the page before, with the same filters');
}
