import { Injectable } from '@nestjs/common';
import { AppError, IdFactory, type Principal } from '../../common/index.js';
import { type InterruptAnswer, Interrupts } from '../../interrupt/index.js';
import { Runs } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import { requestPrincipal } from '../http/index.js';
import { type AgKitRequest, type AgKitResume, decodeAgKitRequest } from './ag-kit-request.decoder.js';
import { decodeBotRequest } from './bot-request.decoder.js';
import { resultRefusal } from './result-refusal.js';
import { answerOf } from './resume-answer.js';

/** Who asks, and for which agent. */
export interface AgKitAsker {
  readonly agentType: string;
  /** The user that the headers name. */
  readonly userId: string | undefined;
}

/** A run that is accepted. */
export interface AgKitAccepted {
  readonly runId: string;
  readonly principal: Principal;
}

type Body = Readonly<Record<string, unknown>>;

/** Accepts runs from requests of the two dialects that are AG-Kit's own. */
@Injectable()
export class AgKitIntake {
  constructor(
    private readonly runs: Runs,
    private readonly interrupts: Interrupts,
    private readonly sessions: Sessions,
    private readonly ids: IdFactory,
  ) {}

  /**
   * Dialect A. A request that says nothing new (`messages: []`) is no run: undefined.
   *
   * @throws AppError as `decodeAgKitRequest` and `Runs.accept`; INTERRUPT_NOT_FOUND when `resume` names
   *   no question of this conversation
   */
  async agKit(body: Body, { agentType, userId: userIdHeader }: AgKitAsker): Promise<AgKitAccepted | undefined> {
    const request = decodeAgKitRequest(body, this.ids.next('akr_'));
    const { conversationId, messages, resume } = request;
    if (messages.length === 0 && !resume) return undefined;
    const userId = userIdHeader ?? request.userId;
    const principal = requestPrincipal(userId ?? conversationId);
    const answers = resume ? [await this.answer(resume, request, userId)] : [];
    const { tools: clientTools, forwardedProps } = request;
    const accepted = this.runs.accept({
      wire: 'ag-kit',
      principal,
      sessionId: conversationId,
      agentType,
      input: messages,
      clientTools,
      modelOptions: {},
      forwardedProps,
      onBusy: 'reject',
      anonymous: userId === undefined,
      ...(answers.length > 0 && { answers }),
    });
    const { runId } = await accepted.catch((error: unknown) => {
      throw resultRefusal(error, body['messages']);
    });
    return { runId, principal };
  }

  /**
   * Dialect C. The history a client sends counts only for a conversation that the server does not know.
   *
   * @throws AppError as `decodeBotRequest` and `Runs.accept`
   */
  async bot(body: Body, { agentType, userId: userIdHeader }: AgKitAsker): Promise<AgKitAccepted> {
    const request = decodeBotRequest(body, this.ids.next(''));
    const sessionId = request.conversationId ?? this.ids.next('');
    const principal = requestPrincipal(userIdHeader ?? request.userId ?? sessionId);
    const isKnown = (await this.sessions.view(principal, sessionId)) !== undefined;
    const { runId } = await this.runs.accept({
      wire: 'ag-kit',
      principal,
      sessionId,
      agentType,
      input: isKnown ? [request.message] : [...request.history, request.message],
      clientTools: [],
      modelOptions: {},
      forwardedProps: request.forwardedProps,
      onBusy: 'reject',
    });
    return { runId, principal };
  }

  private async answer(resume: AgKitResume, request: AgKitRequest, userId?: string): Promise<InterruptAnswer> {
    const { tenantId } = requestPrincipal(undefined);
    const scope = userId === undefined ? { tenantId } : { tenantId, userId };
    const asked = await this.interrupts.find(scope, resume.interruptId);
    if (asked?.sessionId !== request.conversationId) throw new AppError('INTERRUPT_NOT_FOUND');
    return answerOf(resume, asked.kind);
  }
}
