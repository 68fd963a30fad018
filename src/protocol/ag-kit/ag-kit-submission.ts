import { Injectable } from '@nestjs/common';
import { AppError, IdFactory } from '../../common/index.js';
import { type InterruptAnswer, Interrupts } from '../../interrupt/index.js';
import { type RunRequest, Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import { type Caller, type NamedUser, traceOf } from '../../access/index.js';
import { type FrameEncoder, sessionOwner } from '../wire/index.js';
import { type AgKitRequest, type AgKitResume, answerOf, decodeAgKitRequest } from './ag-kit-request.decoder.js';
import { toolResultError } from './ag-kit.errors.js';
import { decodeBotRequest } from './bot-request.decoder.js';

/** Who sends a request, and to which agent. */
export interface AgKitAsker {
  readonly agentType: string;
  readonly caller: Caller;
  /** The user that the header, the query or the body names. */
  readonly user: NamedUser | undefined;
}

/** An accepted run. */
export interface AgKitAccepted {
  readonly run: RunView;
  /** Default: that of the wire. */
  readonly encoder?: FrameEncoder;
}

/** A body that is an object. */
export type JsonBody = Readonly<Record<string, unknown>>;

/** Accepts runs from requests of dialects A and C. */
@Injectable()
export class AgKitSubmission {
  constructor(
    private readonly runs: Runs,
    private readonly interrupts: Interrupts,
    private readonly sessions: Sessions,
    private readonly ids: IdFactory,
  ) {}

  /**
   * Dialect A. Returns undefined for an empty list of messages without `resume`: there is nothing to run.
   *
   * @throws AppError as `decodeAgKitRequest` and `Runs.accept`; INTERRUPT_NOT_FOUND when `resume` names
   *   no interrupt of this conversation
   */
  async agKit(body: JsonBody, asker: AgKitAsker): Promise<AgKitAccepted | undefined> {
    const request = decodeAgKitRequest(body, this.ids.next('akr_'));
    const { conversationId, messages, resume, tools: clientTools, forwardedProps } = request;
    if (messages.length === 0 && !resume) return undefined;
    const { caller, user: named } = asker;
    const answers = resume ? [await this.answer(resume, request, caller, named)] : [];
    try {
      return await this.accept(asker, {
        principal: await sessionOwner(this.sessions, caller, conversationId, { named, unnamed: conversationId }),
        reach: caller.reachOf(named),
        requester: caller.requesterFor(named),
        sessionId: conversationId,
        input: messages,
        clientTools,
        forwardedProps,
        ...(answers.length > 0 && { answers }),
      });
    } catch (error) {
      throw toolResultError(error, body['messages']);
    }
  }

  /**
   * Dialect C. The history in the request counts only if the server does not know the conversation.
   *
   * @throws AppError as `decodeBotRequest` and `Runs.accept`
   */
  async bot(body: JsonBody, asker: AgKitAsker): Promise<AgKitAccepted> {
    const request = decodeBotRequest(body, this.ids.next(''));
    const sessionId = request.conversationId ?? this.ids.next('');
    const { caller, user: named } = asker;
    const principal = await sessionOwner(this.sessions, caller, sessionId, { named, unnamed: sessionId });
    const isKnown = (await this.sessions.view(principal, sessionId)) !== undefined;
    const input = isKnown ? [request.message] : [...request.history, request.message];
    const { forwardedProps } = request;
    const [reach, requester] = [caller.reachOf(named), caller.requesterFor(named)];
    return this.accept(asker, { principal, reach, requester, sessionId, input, clientTools: [], forwardedProps });
  }

  private async accept(
    { agentType, caller }: AgKitAsker,
    request: Omit<RunRequest, 'wire' | 'agentType' | 'modelOptions' | 'onBusy'>,
  ): Promise<AgKitAccepted> {
    const { run } = await this.runs.accept({
      wire: 'ag-kit',
      agentType,
      modelOptions: {},
      onBusy: 'reject',
      ...request,
      ...traceOf(caller),
    });
    return { run };
  }

  private async answer(
    resume: AgKitResume,
    { conversationId }: AgKitRequest,
    caller: Caller,
    named: NamedUser | undefined,
  ): Promise<InterruptAnswer> {
    const interrupt = await this.interrupts.find(caller.reachOf(named), resume.interruptId);
    if (interrupt?.sessionId !== conversationId) throw new AppError('INTERRUPT_NOT_FOUND');
    return answerOf(resume, interrupt.kind);
  }
}
