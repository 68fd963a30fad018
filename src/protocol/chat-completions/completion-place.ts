import { Injectable } from '@nestjs/common';
import type { Caller, NamedUser } from '../../access/index.js';
import type { Message } from '../../events/index.js';
import type { InterruptAnswer, RunRequest } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import type { ToolDeclaration } from '../../tools/index.js';
import { OpenAiError } from '../openai/index.js';
import { sessionOwner } from '../wire/index.js';
import { CompletionFiles, namesUpload } from './completion-files.js';
import { APPROVAL_TOOL, INPUT_TOOL } from './completion-info.js';
import type { CompletionRequest } from './completion-request.decoder.js';
import { answersOf, type Continuation, Continuations, newMessages } from './continuation.js';
import type { DecodedMessage } from './message.decoder.js';
import { ServerFacts } from './server-facts.js';

/** Who asks for what, and where. */
export interface PlacedRequest {
  readonly request: CompletionRequest;
  readonly caller: Caller;
  readonly user: NamedUser | undefined;
  /** Undefined: the messages are the whole context. */
  readonly sessionId: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** The parts of a run request that depend on what the request continues. */
export type Place = Pick<
  RunRequest,
  'principal' | 'sessionId' | 'sessionGiven' | 'agentType' | 'input' | 'clientTools'
> &
  Partial<Pick<RunRequest, 'answers' | 'runKey' | 'unlistedSession' | 'keepsInterrupts'>>;

/**
 * Finds where the run of a request belongs: behind the run that waits for its results or answers, in a session, or on its
 * own (contract chat-completions, sections B1 to B3).
 */
@Injectable()
export class CompletionPlaces {
  constructor(
    private readonly sessions: Sessions,
    private readonly continuations: Continuations,
    private readonly server: ServerFacts,
    private readonly files: CompletionFiles,
  ) {}

  /** @throws AppError for results and decisions that fit nothing, and for unknown files */
  async of(placed: PlacedRequest): Promise<Place> {
    const place = await this.placeOf(placed);
    const input = await this.files.resolved(place.principal, place.input, placed.request.messages);
    return input === place.input ? place : { ...place, input };
  }

  private async placeOf(placed: PlacedRequest): Promise<Place> {
    const { request, caller, user, sessionId } = placed;
    const answers = answersOf(request.messages);
    const waiting = await this.continuations.find(caller.reachOf(user), request.messages, sessionId);
    if (waiting) return behind(request, waiting, answers);
    if (answers.length > 0) return this.answering(placed, answers);
    return sessionId === undefined ? this.alone(placed) : this.inSession(placed, sessionId);
  }

  /** The session is that of the questions. */
  private answering(placed: PlacedRequest, answers: readonly InterruptAnswer[]): Place {
    const { request, caller, user, sessionId } = placed;
    const input = newMessages(request.messages).flatMap(({ result, messages }) => (result ? [] : messages));
    const id = sessionId ?? this.ownSession(placed);
    return {
      principal: caller.actingFor(user, id),
      sessionId: id,
      sessionGiven: sessionId !== undefined,
      agentType: this.server.agentType(request.model, caller),
      input,
      answers,
      clientTools: ownTools(request),
    };
  }

  private alone(placed: PlacedRequest): Place {
    const { request, caller, user } = placed;
    const sessionId = this.ownSession(placed);
    const input = messagesOf(request.messages.slice(leading(request.messages)));
    return {
      // Without authentication uploads that name no user are those of one user.
      principal: input.some(namesUpload) ? caller.actingFor(user) : caller.actingFor(user, sessionId),
      sessionId,
      sessionGiven: false,
      unlistedSession: true,
      agentType: this.server.agentType(request.model, caller),
      input,
      clientTools: ownTools(request),
    };
  }

  private ownSession({ caller, user, idempotencyKey }: PlacedRequest): string {
    return this.server.sessionId(idempotencyKey, caller, caller.actingFor(user));
  }

  /** The server's history is the truth: what precedes the last answer is the client's copy of it. */
  private async inSession({ request, caller, user }: PlacedRequest, sessionId: string): Promise<Place> {
    const { messages } = request;
    const from = messages.findLastIndex(({ role }) => role === 'assistant') + 1;
    const fresh = from === 0 ? messages.slice(leading(messages)) : messages.slice(from);
    const unknown = fresh.findIndex(({ result }) => result !== undefined);
    if (unknown >= 0) {
      const path = `messages[${messages.length - fresh.length + unknown}].tool_call_id`;
      const message = `${path} names a call that is not open in this session`;
      throw new OpenAiError('INVALID_PARAMETER', message, path, { wireCode: 'tool_call_not_found' });
    }
    if (!fresh.some(({ role }) => role === 'user')) {
      const message = 'messages has nothing new for the session: no message of the user follows the last answer';
      throw new OpenAiError('INVALID_PARAMETER', message, 'messages', { wireCode: 'nothing_new' });
    }
    return {
      principal: await sessionOwner(this.sessions, caller, sessionId, { named: user, unnamed: sessionId }),
      sessionId,
      sessionGiven: true,
      // A question is answered by a call of its own, not by whatever the user says next.
      keepsInterrupts: true,
      agentType: this.server.agentType(request.model, caller),
      input: messagesOf(fresh),
      clientTools: ownTools(request),
    };
  }
}

/** How many system messages a request begins with: they are the instructions of its run. */
export function leading(messages: readonly DecodedMessage[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system');
  return first < 0 ? messages.length : first;
}

function behind(
  request: CompletionRequest,
  { run, input, runKey }: Continuation,
  answers: readonly InterruptAnswer[],
): Place {
  const clientTools = ownTools(request);
  return {
    principal: { tenantId: run.tenantId, userId: run.userId },
    sessionId: run.sessionId,
    sessionGiven: true,
    agentType: run.agentType,
    input,
    runKey,
    clientTools: clientTools.length > 0 ? clientTools : run.clientTools,
    ...(answers.length > 0 && { answers }),
  };
}

/** The tools that the model may call: not those by which the client is asked for decisions. */
function ownTools({ tools }: CompletionRequest): readonly ToolDeclaration[] {
  return tools.clientTools.filter(({ name }) => name !== APPROVAL_TOOL && name !== INPUT_TOOL);
}

function messagesOf(messages: readonly DecodedMessage[]): readonly Message[] {
  return messages.flatMap((one) => one.messages);
}
