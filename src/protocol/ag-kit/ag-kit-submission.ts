import { Injectable } from '@nestjs/common';
import { AppError, IdFactory, type JsonObject } from '../../common/index.js';
import { type InterruptAnswer, Interrupts } from '../../agent/interrupt/index.js';
import { type RunRequest, Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import type { Caller, NamedUser } from '../../access/index.js';
import { type Message, textMessage } from '../../events/index.js';
import { type FrameEncoder, type Submission, submissionIn } from '../wire/index.js';
import { fieldError, FieldReader, fieldReaderAt } from '../http/bodies/field-reader.js';
import {
  type AgKitRequest,
  type AgKitResume,
  answerOf,
  decodeAgKitRequest,
  extrasOf,
} from './ag-kit-request.decoder.js';
import { toolResultError } from './ag-kit.errors.js';

const MAX_HISTORY = 1000;
const NAME_LENGTH = { min: 1, max: 256 };
const ROLES = ['user', 'assistant', 'system'] as const;
const KNOWN: ReadonlySet<string> = new Set([
  ...['msg', 'history', 'files', 'searchEnable', 'conversationId', 'botId', 'user_id', 'userId'],
]);

/** A decoded request of dialect C. */
interface BotRequest {
  /** Without it, a new conversation is created. */
  readonly conversationId: string | undefined;
  /** The conversation as the client knows it; used only if the server does not know the conversation. */
  readonly history: readonly Message[];
  readonly message: Message;
  readonly forwardedProps: JsonObject;
}

/**
 * Decodes a request of the older bot dialect, text only (contract ag-kit, section 5).
 *
 * @param seed what message ids are derived from: another one for every request
 * @throws AppError MISSING_PARAMETER, PARAMETER_VALIDATION (wrong type), INVALID_PARAMETER (files)
 */
export function decodeBotRequest(body: Readonly<Record<string, unknown>>, seed: string): BotRequest {
  const fields = new FieldReader(body, '');
  const text = fields.required('msg');
  if ((fields.list('files', MAX_HISTORY) ?? []).length > 0) {
    throw new AppError('INVALID_PARAMETER', 'files are not supported in this dialect');
  }
  const history = (fields.list('history', MAX_HISTORY) ?? []).map((item, index) => {
    const own = fieldReaderAt(item, `history[${index}]`);
    const role = ROLES.find((one) => one === own.string('role'));
    if (!role) throw fieldError(own.at('role'), `must be one of ${ROLES.join(', ')}`, 'INVALID_PARAMETER');
    return textMessage({ id: `msg_${seed}_${index}`, role, text: own.string('content') ?? '' });
  });
  return {
    conversationId: fields.string('conversationId', NAME_LENGTH),
    history,
    message: textMessage({ id: `msg_${seed}`, role: 'user', text }),
    forwardedProps: extrasOf(body, KNOWN),
  };
}

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
      const naming = { named, unnamed: conversationId };
      return await this.accept(asker, await submissionIn(this.sessions, caller, conversationId, naming), {
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
    const submission = await submissionIn(this.sessions, caller, sessionId, { named, unnamed: sessionId });
    const isKnown = (await this.sessions.view(submission.principal, sessionId)) !== undefined;
    const input = isKnown ? [request.message] : [...request.history, request.message];
    const { forwardedProps } = request;
    return this.accept(asker, submission, { sessionId, input, clientTools: [], forwardedProps });
  }

  private async accept(
    { agentType }: AgKitAsker,
    { principal, reach, requester, traceparent, webhook, carried }: Submission,
    request: Pick<RunRequest, 'sessionId' | 'input' | 'clientTools' | 'forwardedProps' | 'answers'>,
  ): Promise<AgKitAccepted> {
    const { run } = await this.runs.accept({
      wire: 'ag-kit',
      principal,
      reach,
      requester,
      agentType,
      modelOptions: {},
      onBusy: 'reject',
      ...request,
      ...(traceparent !== undefined && { traceparent }),
      ...(webhook !== undefined && { webhook }),
      ...(carried && { carried }),
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
