import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AppError, type JsonObject } from '../../common/index.js';
import { Retention } from '../../retention/index.js';
import { fieldReaderAt } from '../http/index.js';
import { CallFolds } from './call-folds.js';
import { callDataOf } from './call-data.js';
import { CallWaits } from './call-waits.js';
import { Calls, type McpCall } from './calls.js';
import { callResult } from './fold/call-result.js';
import { formOf } from './fold/forms.js';
import { inputRequests } from './fold/mcp-fold.js';
import { FormAnswers } from './form-answers.js';
import { CODES, McpError } from './mcp.errors.js';
import { type Peer, TASKS } from './mcp.types.js';

/** While a task is young, clients ask for it each second, then less often. */
const YOUNG_MS = 60_000;
const POLL_MS = 1000;
const LATER_POLL_MS = 5000;

/** Errors of the server itself: those of agents are results. */
const OURS: readonly (string | undefined)[] = ['INTERNAL_ERROR', 'DATABASE_ERROR', 'CONFIGURATION_ERROR'];

/** Calls as tasks of the extension (contract mcp-server, section 7.2). */
@Injectable()
export class TasksService {
  constructor(
    private readonly calls: Calls,
    private readonly folds: CallFolds,
    private readonly waits: CallWaits,
    private readonly forms: FormAnswers,
    private readonly retention: Retention,
  ) {}

  /** The task in place of a result. */
  async created(call: McpCall): Promise<JsonObject> {
    return { resultType: 'task', ...(await this.head(call)) };
  }

  /** @throws McpError INVALID_PARAMS for an unknown one, MISSING_CAPABILITY */
  async get(params: unknown, peer: Peer, caller: Caller): Promise<JsonObject> {
    const call = await this.find(params, peer, caller);
    return { ...(await this.head(call)), ...(await this.details(call)) };
  }

  /** Takes answers; what is missing stays open. @throws as `get` */
  async update(params: unknown, peer: Peer, caller: Caller): Promise<JsonObject> {
    const call = await this.find(params, peer, caller);
    caller.need('runs:write');
    const responses = fieldReaderAt(params, 'params').object('inputResponses');
    await this.forms.take(call, responses, caller, { takesSome: true });
    return {};
  }

  /** Asks for the end of a task. @throws as `get` */
  async cancel(params: unknown, peer: Peer, caller: Caller): Promise<JsonObject> {
    const call = await this.find(params, peer, caller);
    caller.need('runs:write');
    await this.waits.cancel(call, caller.origin());
    return {};
  }

  private async find(params: unknown, peer: Peer, caller: Caller): Promise<McpCall> {
    if (!peer.hasTasks) {
      const data = { requiredCapabilities: { extensions: { [TASKS]: {} } } };
      throw new McpError('MISSING_CAPABILITY', `The client must declare the extension ${TASKS}`, { status: 400, data });
    }
    const taskId = fieldReaderAt(params, 'params').string('taskId', { min: 1, max: 256 });
    const unknown = new McpError('INVALID_PARAMS', 'Unknown task');
    if (taskId === undefined) throw unknown;
    try {
      const call = await this.calls.find(caller.reach, taskId);
      if (call.first.runId === taskId && call.data) return call;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RUN_NOT_FOUND') throw error;
    }
    throw unknown;
  }

  private async head(call: McpCall): Promise<JsonObject> {
    const { first, changedAt } = call;
    const isYoung = changedAt - first.createdAt < YOUNG_MS && !this.calls.isOver(call);
    return {
      taskId: first.runId,
      status: this.statusOf(call),
      createdAt: new Date(first.createdAt).toISOString(),
      lastUpdatedAt: new Date(changedAt).toISOString(),
      ttlMs: await this.retention.of('events', first.tenantId),
      pollIntervalMs: isYoung ? POLL_MS : LATER_POLL_MS,
    };
  }

  private statusOf({ state, last }: McpCall): string {
    switch (state) {
      case 'queued':
      case 'running':
        return 'working';
      case 'waiting':
        return 'input_required';
      case 'canceled':
      case 'closed':
        return 'cancelled';
      case 'failed':
        return OURS.includes(last.error?.code) ? 'failed' : 'completed';
      default:
        return 'completed';
    }
  }

  private async details(call: McpCall): Promise<JsonObject> {
    const status = this.statusOf(call);
    if (status === 'failed') {
      return { error: { code: CODES.INTERNAL, message: call.last.error?.message ?? 'Internal error' } };
    }
    if (status === 'completed') return { result: callResult(await this.calls.outcome(call)) };
    if (status !== 'input_required') return {};
    const data = callDataOf(call.first);
    const agent = data ? this.folds.titleOf(call.first.agentType, data) : call.first.agentType;
    const questions = await this.calls.questions(call);
    const forms = data?.asks === true ? questions.flatMap((item) => formOf(item, agent) ?? []) : [];
    if (forms.length > 0) return { inputRequests: inputRequests(forms) };
    return { inputRequests: {}, statusMessage: 'A person has to decide, in the approvals of the server.' };
  }
}
