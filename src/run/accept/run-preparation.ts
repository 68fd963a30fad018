import { Injectable } from '@nestjs/common';
import {
  AppError,
  type Authority,
  authorityOf,
  Clock,
  continuedCarried,
  fingerprint,
  IdFactory,
  type Reach,
  type Requester,
} from '../../common/index.js';
import {
  AnswerValidator,
  type InterruptAnswer,
  isInterruptId,
  type ValidatedAnswer,
} from '../../agent/interrupt/index.js';
import { RunStore } from '../ports/run-store.js';
import type { RunRequest } from '../run.types.js';
import { AuthorityCheck } from './authority-check.js';

/** A request that is ready to be accepted: validated, and completed from the run that it resumes. */
export interface PreparedRun {
  readonly request: RunRequest;
  readonly answers: readonly ValidatedAnswer[];
  readonly runId: string;
  /** What the run may do; null without authentication. */
  readonly authority: Authority | null;
  /** As in `LocatedMessages`; absent: none. */
  readonly granted?: ReadonlySet<string>;
  /** Empty for a request that does not name its run. */
  readonly fingerprint: string;
  /** The time of the acceptance, in milliseconds since the epoch. */
  readonly now: number;
}

/** Prepares requests for acceptance, outside the transaction. */
@Injectable()
export class RunPreparation {
  constructor(
    private readonly check: AuthorityCheck,
    private readonly validator: AnswerValidator,
    private readonly runs: RunStore,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  /**
   * @throws AppError PAYLOAD_TOO_LARGE, AGENT_NOT_FOUND, PERMISSION_DENIED (a model that the caller may not use), INVALID_PARAMETER (an
   *   address of an image that is not allowed); those of `AnswerValidator.validate`; INTERRUPT_NOT_FOUND when the request
   *   names another session than that of its answers
   */
  async prepare(given: RunRequest): Promise<PreparedRun> {
    this.check.sizeOf(given);
    this.check.addressesOf(given);
    const { request: asked, answers, authority } = await this.complete(given);
    this.check.modelOf(given, asked.agentType);
    this.check.toolChoiceOf(asked);
    const isChosen = given.isAgentOfWire === true || answers.length > 0;
    this.check.agent(asked.agentType, isChosen ? null : authority);
    const { input, granted } = await this.check.attachmentsOf(asked);
    const request = input === asked.input ? asked : Object.assign({}, asked, { input });
    return {
      request,
      answers,
      authority,
      granted,
      runId: request.runId ?? request.newRunId ?? this.ids.next('response_'),
      // Only a request that names its run can be repeated: as its client sent it.
      fingerprint: isNamed(asked) ? requestFingerprint(asked) : '',
      now: this.clock.now(),
    };
  }

  /** The request that consists of nothing but answers. @throws AppError INTERRUPT_NOT_FOUND */
  async requestFor(
    reach: Reach,
    requester: Requester | null,
    answers: readonly InterruptAnswer[],
  ): Promise<RunRequest> {
    const ids = answers.map(({ interruptId }) => interruptId).filter(isInterruptId);
    const before = ids.length === 0 ? undefined : await this.runs.findWaitingFor(reach, ids);
    if (!before) throw new AppError('INTERRUPT_NOT_FOUND');
    return {
      principal: { tenantId: before.tenantId, userId: before.userId },
      reach,
      requester,
      sessionId: before.sessionId,
      sessionGiven: false,
      agentType: before.agentType,
      input: [],
      clientTools: before.request.clientTools,
      ...(before.request.toolRestrictions ? { toolRestrictions: before.request.toolRestrictions } : {}),
      modelOptions: before.request.modelOptions,
      forwardedProps: before.request.forwardedProps,
      onBusy: 'enqueue',
      wire: before.wire,
      wireData: before.wireData,
      ...(before.request.webhook === undefined ? {} : { webhook: before.request.webhook }),
      answers,
    };
  }

  /** A request with answers takes over what it does not bring itself from the run that waits for them. */
  private async complete(request: RunRequest): Promise<Pick<PreparedRun, 'request' | 'answers' | 'authority'>> {
    const { answers = [], reach, requester } = request;
    if (answers.length === 0) return { request, answers: [], authority: requester && authorityOf(requester) };
    const valid = await this.validator.validate(reach, requester, answers);
    const { after, sessionGiven, sessionId } = request;
    // With `after` the session follows from that run; recording the answers checks that it is theirs.
    const isElsewhere = after === undefined && sessionGiven !== false && sessionId !== valid.sessionId;
    const ids = answers.map(({ interruptId }) => interruptId);
    const before = isElsewhere ? undefined : await this.runs.findWaitingFor(reach, ids);
    if (!before) throw new AppError('INTERRUPT_NOT_FOUND');
    const { clientTools, modelOptions, clientTime, locale, systemPrompt, toolRestrictions, trace } = before.request;
    // Whoever answers lends nothing to the run that goes on.
    const { authority } = before;
    const { carried: sent, ...asked } = request;
    const carried = continuedCarried(before.request.carried, sent);
    const continued: RunRequest = Object.assign({}, asked, {
      principal: { tenantId: reach.tenantId, userId: valid.userId },
      sessionId: after === undefined ? valid.sessionId : sessionId,
      agentType: before.agentType,
      clientTools: request.clientTools.length > 0 ? request.clientTools : clientTools,
      modelOptions: Object.keys(request.modelOptions).length > 0 ? request.modelOptions : modelOptions,
      ...(trace && { continuesTrace: trace.parent }),
      ...(carried && { carried }),
      ...(request.toolRestrictions || !toolRestrictions ? {} : { toolRestrictions }),
      ...(request.clientTime || !clientTime ? {} : { clientTime }),
      ...(request.locale !== undefined || locale === undefined ? {} : { locale }),
      ...(request.systemPrompt !== undefined || systemPrompt === undefined ? {} : { systemPrompt }),
    });
    await this.validator.assertEdits(reach, requester, valid, { authority, ...continued });
    return { answers: valid.answers, authority, request: continued };
  }
}

/** True if the client names the run: an equal request with the same name returns the same run. */
export function isNamed({ runId, runKey }: RunRequest): boolean {
  return runId !== undefined || runKey !== undefined;
}

/**
 * The fingerprint of what must be equal for a request to count as repeated. Ids of messages are left out, because
 * the server may have chosen them.
 */
function requestFingerprint(request: RunRequest): string {
  return fingerprint({
    agentType: request.agentType,
    session: request.sessionGiven === false ? null : [request.principal.userId, request.sessionId],
    input: request.input.map(({ role, type, content }) => ({ role, type, content: content?.map(withoutMessageId) })),
    clientTools: request.clientTools,
    modelOptions: request.modelOptions,
    clientTime: request.clientTime,
    forwardedProps: request.forwardedProps,
    answers: request.answers,
    ...additions(request),
  });
}

/** Fields that only some requests have. Absent ones change nothing, so fingerprints of earlier versions stay valid. */
function additions({ after, state, systemPrompt, store, parentRunId, toolRestrictions, listing }: RunRequest): object {
  const unstored = store === false ? false : undefined;
  return { after, state, systemPrompt, parentRunId, toolLimits: toolRestrictions, store: unstored, listing };
}

function withoutMessageId(content: object): object {
  return { ...content, msg_id: undefined };
}
