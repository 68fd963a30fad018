import { Injectable } from '@nestjs/common';
import { AppError, type JsonObject, type Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { type AcceptedRun, type RunRequest, Runs, type RunView } from '../../run/index.js';
import type { MessageScope } from '../../session/index.js';
import { requestPrincipal } from '../http/index.js';
import { InputResolver } from './input-resolver.js';
import type { CreateRequest } from './request/create-request.decoder.js';
import { ResponseApprovals } from './response-approvals.js';
import {
  type ResponseInfo,
  responseInfo,
  type StoredInfo,
  storedResponseInfo,
  toWireData,
  WIRE,
} from './response-info.js';
import { ResponsesIntake } from './responses-intake.js';
import { ResponsesOwner } from './responses-owner.js';
import { acceptRefusal, previousNotFound } from './responses-refusal.js';

/** A response whose run is accepted. */
export interface StartedResponse {
  readonly principal: Principal;
  readonly runId: string;
  /** False: this request had been accepted before. */
  readonly created: boolean;
  readonly info: ResponseInfo;
  readonly stream: boolean;
  readonly background: boolean;
  readonly store: boolean;
  /** The connection remembered what this one goes on from; it is part of `input` then. */
  readonly isRemembered: boolean;
  /** The messages of the request, what it refers to included. */
  readonly input: readonly Message[];
}

/** What a connection adds to a request. */
export interface CreationOptions {
  /** Names the request: repeated with equal content it gets the same response. */
  readonly idempotencyKey?: string | undefined;
  /** The conversation up to a response that only this connection remembers. */
  readonly remembered?: (responseId: string) => readonly Message[] | undefined;
}

/** Where a response belongs. */
interface Place {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly sessionGiven: boolean;
  readonly after?: string;
  /** The session that the request names, itself or by a response of it. */
  readonly within?: string;
  /** Messages that come before the input and are stored nowhere. */
  readonly before: readonly Message[];
}

/** Accepts responses (contract responses, sections A2 and A8). */
@Injectable()
export class ResponseCreation {
  constructor(
    private readonly runs: Runs,
    private readonly intake: ResponsesIntake,
    private readonly owner: ResponsesOwner,
    private readonly resolver: InputResolver,
    private readonly approvals: ResponseApprovals,
  ) {}

  /**
   * Decodes a request and accepts its run: it is committed when this resolves.
   *
   * @throws AppError for everything the contract refuses; then nothing is written
   */
  async create(body: unknown, options: CreationOptions = {}): Promise<StartedResponse> {
    const request = this.intake.decode(body);
    const place = await this.place(request, options);
    const scope = scopeOf(place.principal, request.user);
    const input = await this.resolver.resolve(scope, request.input);
    const { answers, requests, approved, rest } = await this.approvals.given(scope, input, place.within);
    const stored: StoredInfo = {
      createdAt: this.intake.seconds(),
      echo: request.echo,
      clientTools: request.clientTools.map(({ name }) => name),
      approvals: requests,
      approved,
    };
    const run: RunRequest = {
      ...this.runOf(request, place, stored),
      runId: this.intake.responseId(options.idempotencyKey),
      input: answers.length > 0 ? rest : [...place.before, ...input],
      ...(answers.length > 0 && { answers, anonymous: request.user === undefined }),
      // The answers know where the run goes on.
      ...(answers.length === 0 && place.after !== undefined && { after: place.after }),
    };
    const accepted = await this.accept(run, request.previousResponseId);
    const { stream, background, store } = request;
    const info = await this.infoOf(run, accepted, stored);
    const { runId, created } = accepted;
    const isRemembered = place.before.length > 0;
    const { principal, input: messages } = run;
    return { principal, runId, created, info, stream, background, store, isRemembered, input: messages };
  }

  private runOf(request: CreateRequest, place: Place, stored: StoredInfo): Omit<RunRequest, 'input' | 'runId'> {
    const { principal, sessionId, sessionGiven } = place;
    const { clientTools, mcpTools, modelOptions, store, instructions, echo } = request;
    const toolLimits = mcpTools.flatMap(({ limit }) => limit ?? []);
    return {
      principal,
      sessionId,
      sessionGiven,
      agentType: this.intake.agentType(echo.model),
      clientTools,
      ...(toolLimits.length > 0 && { toolLimits }),
      modelOptions,
      forwardedProps: forwarded(request),
      // A conversation is locked while it is used; what goes on from a response waits for it.
      onBusy: request.conversationId === undefined ? 'enqueue' : 'reject',
      wire: WIRE,
      wireData: toWireData(stored),
      store,
      ...(instructions !== undefined && { systemPrompt: instructions }),
    };
  }

  private async place(request: CreateRequest, { remembered }: CreationOptions): Promise<Place> {
    const { conversationId, previousResponseId, user } = request;
    if (conversationId !== undefined) {
      const principal = await this.owner.ofConversation(conversationId, user, 'conversation');
      return { principal, sessionId: conversationId, sessionGiven: true, within: conversationId, before: [] };
    }
    const sessionId = this.intake.newId('conv_');
    const place = { principal: this.owner.ofNew(sessionId, user), sessionId, sessionGiven: false };
    if (previousResponseId === undefined) return { ...place, before: [] };
    const before = remembered?.(previousResponseId);
    if (before) return { ...place, before };
    const { userId, sessionId: within } = await this.previous(previousResponseId, user);
    const principal = { ...place.principal, userId };
    return { ...place, principal, after: previousResponseId, within, before: [] };
  }

  private async previous(id: string, user: string | undefined): Promise<RunView> {
    const run = await this.runs.view(requestPrincipal(user), id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    });
    if (!run || (user !== undefined && run.userId !== user)) throw previousNotFound(id);
    return run;
  }

  private async accept(run: RunRequest, previous: string | undefined): Promise<AcceptedRun> {
    try {
      return await this.runs.accept(run);
    } catch (error) {
      throw acceptRefusal(error, previous);
    }
  }

  /** A repeated request is answered with what the first one was accepted as. */
  private async infoOf(run: RunRequest, { runId, created }: AcceptedRun, stored: StoredInfo): Promise<ResponseInfo> {
    if (created) return storedResponseInfo(runId, run.agentType, stored);
    return responseInfo(await this.runs.view(run.principal, runId, { accepted: true }));
  }
}

/** Without a user named, the whole tenant's items may be referred to: nobody has logged in. */
function scopeOf({ tenantId }: Principal, user: string | undefined): MessageScope {
  return user === undefined ? { tenantId } : { tenantId, userId: user };
}

function forwarded({ echo }: CreateRequest): JsonObject {
  return Object.keys(echo.metadata).length === 0 ? {} : { metadata: echo.metadata };
}
