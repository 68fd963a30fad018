import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { AppError, type Principal } from '../../common/index.js';
import { AnswerCheck, type CheckedAnswer, type InterruptAnswer, isInterruptId } from '../../interrupt/index.js';
import { RunStore } from '../ports/run-store.js';
import type { RunRequest } from '../run.types.js';

/** A request whose answers are checked, completed from the run that waits for them. */
export interface Continuation {
  readonly request: RunRequest;
  readonly answers: readonly CheckedAnswer[];
}

/** Makes the requests of runs that go on: whose they are, and what they take over from the run that waited. */
@Injectable()
export class RunAnswers {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly check: AnswerCheck,
    private readonly store: RunStore,
  ) {}

  /**
   * @throws AppError AGENT_NOT_FOUND; as `AnswerCheck.check`; INTERRUPT_NOT_FOUND when the request names another session
   */
  async complete(request: RunRequest): Promise<Continuation> {
    const { answers = [], principal } = request;
    if (answers.length === 0) {
      this.agents.get(request.agentType);
      return { request, answers: [] };
    }
    const { tenantId } = principal;
    const checked = await this.check.check(request.anonymous ? { tenantId } : principal, answers);
    const { after, sessionGiven, sessionId } = request;
    // A request that names the run before it tells the session by that; storing the answer checks it.
    const isElsewhere = after === undefined && sessionGiven !== false && sessionId !== checked.sessionId;
    const ids = answers.map(({ interruptId }) => interruptId);
    const before = isElsewhere ? undefined : await this.store.waitingFor(tenantId, ids);
    if (!before) throw new AppError('INTERRUPT_NOT_FOUND');
    this.agents.get(before.agentType);
    const { clientTools, modelOptions, clientTime, locale, systemPrompt, toolLimits } = before.request;
    return {
      answers: checked.answers,
      request: {
        ...request,
        principal: { tenantId, userId: checked.userId },
        sessionId: after === undefined ? checked.sessionId : sessionId,
        agentType: before.agentType,
        clientTools: request.clientTools.length > 0 ? request.clientTools : clientTools,
        modelOptions: Object.keys(request.modelOptions).length > 0 ? request.modelOptions : modelOptions,
        ...(request.toolRestrictions || !toolLimits ? {} : { toolRestrictions: toolLimits }),
        ...(request.clientTime || !clientTime ? {} : { clientTime }),
        ...(request.locale !== undefined || locale === undefined ? {} : { locale }),
        ...(request.systemPrompt !== undefined || systemPrompt === undefined ? {} : { systemPrompt }),
      },
    };
  }

  /** The request that nothing but answers make. @throws AppError INTERRUPT_NOT_FOUND */
  async request(principal: Principal, answers: readonly InterruptAnswer[]): Promise<RunRequest> {
    const ids = answers.map(({ interruptId }) => interruptId).filter(isInterruptId);
    const before = ids.length === 0 ? undefined : await this.store.waitingFor(principal.tenantId, ids);
    if (!before) throw new AppError('INTERRUPT_NOT_FOUND');
    return {
      principal,
      sessionId: before.sessionId,
      sessionGiven: false,
      agentType: before.agentType,
      input: [],
      clientTools: before.request.clientTools,
      ...(before.request.toolLimits ? { toolRestrictions: before.request.toolLimits } : {}),
      modelOptions: before.request.modelOptions,
      forwardedProps: before.request.forwardedProps,
      onBusy: 'enqueue',
      wire: before.wire,
      wireData: before.wireData,
      answers,
    };
  }
}
