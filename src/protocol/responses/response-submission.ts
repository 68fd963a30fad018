import { Injectable } from '@nestjs/common';
import type { ModelOptions } from '../../agent/index.js';
import { type JsonObject, type Principal, userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { type AcceptedRun, type RunRequest, Runs, type RunView } from '../../run/index.js';
import { type Caller, namedUser, traceOf, sentWith } from '../../access/index.js';
import { OpenAiError } from '../openai/index.js';
import { ConversationHistory } from './conversation-history.js';
import { InputResolver } from './input-resolver.js';
import type { CreateRequest } from './responses-request.decoder.js';
import { ResponseApprovals } from './response-approvals.js';
import type { Remembered } from './response-context.js';
import { type StoredInfo, toWireData, WIRE } from './response-info.js';
import { ResponseRequests, type ResponsesSubmission } from './response-requests.js';
import { submissionError } from './responses.errors.js';

/** A request for a response whose run is accepted. */
export interface SubmittedResponse {
  /** The accepted run, which may have finished already if the request is a repetition. */
  readonly run: RunView;
  /** False: this request had been accepted before. */
  readonly created: boolean;
  /** True if the client asked for events instead of one JSON response. */
  readonly stream: boolean;
  /** True if the client does not wait: the run continues after it disconnects. */
  readonly background: boolean;
  /** False: the response cannot be retrieved afterwards (contract responses, section A8). */
  readonly store: boolean;
  /** The messages of the request, including those that it refers to. */
  readonly input: readonly Message[];
}

/** What the connection of a request knows. */
export interface SubmissionOptions {
  /** Looks up the responses that a WebSocket connection keeps although they are not stored. */
  readonly remembered?: Remembered | undefined;
  /** The `traceparent` under which the run is traced; absent: that of the caller. */
  readonly traceparent?: string | undefined;
}

/** The conversation that a response belongs to. */
interface ConversationOfResponse {
  /** The user that the request acts for. */
  readonly principal: Principal;
  /** The session that the run is accepted in: new, named by the request, or a copy. */
  readonly sessionId: string;
  /** True when the request names the session. */
  readonly sessionGiven: boolean;
  /** The run that the request continues from. */
  readonly after?: string;
  /** The session that the request names, directly or by one of its responses. */
  readonly within?: string;
  /** Messages that precede the input and are not stored. */
  readonly before: readonly Message[];
}

/** Accepts requests for responses (contract responses, sections A2 and A8). */
@Injectable()
export class ResponseSubmission {
  constructor(
    private readonly runs: Runs,
    private readonly requests: ResponseRequests,
    private readonly history: ConversationHistory,
    private readonly resolver: InputResolver,
    private readonly approvals: ResponseApprovals,
  ) {}

  /** `submit` of a body that comes over a socket. @throws AppError also as `ResponseRequests.submission` */
  submitBody(body: unknown, caller: Caller, options: SubmissionOptions): Promise<SubmittedResponse> {
    return this.submit(this.requests.submission(body, caller), options);
  }

  /**
   * Accepts the run of a request, which is committed when this resolves.
   *
   * @throws AppError for everything that the contract refuses; then nothing is written
   */
  async submit(submission: ResponsesSubmission, options: SubmissionOptions = {}): Promise<SubmittedResponse> {
    const { request, caller, principal, reach, requester, idempotencyKey } = submission;
    const conversation = await this.conversation(submission, options);
    const within = conversation.within === undefined ? reach : userReach(conversation.principal);
    const input = await this.resolver.resolve([within, reach], request.input);
    const { owner, answers, requests, approved, rest } = await this.approvals.given(
      caller,
      within,
      input,
      conversation.within,
    );
    if (request.isCompaction && answers.length > 0) throw answersBesideTrigger();
    const stored: StoredInfo = {
      createdAt: this.requests.seconds(),
      echo: request.echo,
      clientTools: request.clientTools.map(({ name }) => name),
      approvals: requests,
      approved,
    };
    const { after, before } = conversation;
    const id = this.requests.responseId(idempotencyKey, caller, principal);
    const run: RunRequest = {
      reach: owner === undefined ? within : userReach({ tenantId: caller.tenantId, userId: owner }),
      requester,
      input: answers.length > 0 ? rest : [...before, ...input],
      ...this.runOf(request, caller, conversation, stored),
      // Only a key makes a repeated request find its run.
      ...(idempotencyKey === undefined ? { newRunId: id } : { runId: id }),
      ...traceOf({ traceparent: options.traceparent ?? submission.traceparent }),
      ...sentWith(caller, request.echo.metadata),
      ...(answers.length > 0 && { answers }),
      // With answers the run continues the interrupted one.
      ...(answers.length === 0 && after !== undefined && { after }),
    };
    const accepted = await this.accept(run, request.previousResponseId);
    const { stream, background, store } = request;
    return { run: accepted.run, created: accepted.created, stream, background, store, input: run.input };
  }

  /** The run request without its messages and its id. */
  private runOf(
    request: CreateRequest,
    caller: Caller,
    { principal, sessionId, sessionGiven }: ConversationOfResponse,
    stored: StoredInfo,
  ): Omit<RunRequest, 'input' | 'reach' | 'requester' | 'runId' | 'newRunId'> {
    const { clientTools, mcpTools, store, instructions, echo } = request;
    const toolRestrictions = mcpTools.flatMap(({ limit }) => limit ?? []);
    return {
      principal,
      sessionId,
      sessionGiven,
      agentType: this.requests.agentType(echo.model, caller),
      clientTools,
      ...(toolRestrictions.length > 0 && { toolRestrictions }),
      modelOptions: modelOptionsOf(request),
      forwardedProps: forwardedProps(request),
      // A conversation is locked while a response is generated; a request waits for its previous response.
      onBusy: request.conversationId === undefined ? 'enqueue' : 'reject',
      wire: WIRE,
      wireData: toWireData(stored),
      store,
      ...(instructions !== undefined && { systemPrompt: instructions }),
    };
  }

  private async conversation(
    { request, caller, principal: acting, idempotencyKey }: ResponsesSubmission,
    { remembered }: SubmissionOptions,
  ): Promise<ConversationOfResponse> {
    const { conversationId, previousResponseId, user } = request;
    if (conversationId !== undefined) {
      const principal = await this.history.owner(caller, conversationId, user, 'conversation');
      return { principal, sessionId: conversationId, sessionGiven: true, within: conversationId, before: [] };
    }
    const sessionId = this.requests.sessionId(idempotencyKey, caller, acting);
    // Without authentication a new conversation has a user of its own.
    const isOwn = caller.identity === undefined;
    const principal = isOwn ? caller.actingFor(namedUser('user', user), sessionId) : acting;
    if (previousResponseId === undefined) return { principal, sessionId, sessionGiven: false, before: [] };
    const before = remembered?.(previousResponseId);
    if (before) return { principal, sessionId, sessionGiven: false, before };
    const { tenantId, userId, sessionId: within } = await this.history.previous(caller, previousResponseId, user);
    const owner = { tenantId, userId };
    // The owner is known: the session may be a copy, which must not exist before.
    const copyId = this.requests.newId('conv_');
    return { principal: owner, sessionId: copyId, sessionGiven: false, after: previousResponseId, within, before: [] };
  }

  /** Turns errors of the run store into those of this wire, which name the field of the request. */
  private async accept(run: RunRequest, previous: string | undefined): Promise<AcceptedRun> {
    try {
      return await this.runs.accept(run);
    } catch (error) {
      throw submissionError(error, previous);
    }
  }
}

/** A conversation that is only shortened is read as a whole. */
function modelOptionsOf({ modelOptions, isCompaction }: CreateRequest): ModelOptions {
  return isCompaction ? { compactAbove: 1, compactOnly: true } : modelOptions;
}

function answersBesideTrigger(): OpenAiError {
  const message = 'input: answers to approval requests continue a run, so a compaction_trigger must not follow them';
  return new OpenAiError('INVALID_PARAMETER', message, 'input');
}

/** Metadata is for the client's own use; tools receive it with the other forwarded properties. */
function forwardedProps({ echo }: CreateRequest): JsonObject {
  return Object.keys(echo.metadata).length === 0 ? {} : { metadata: echo.metadata };
}
