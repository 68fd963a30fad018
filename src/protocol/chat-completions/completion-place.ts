import { Injectable } from '@nestjs/common';
import type { Caller, NamedUser } from '../../access/index.js';
import type { Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { InterruptAnswer, RunRequest } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import type { ToolDeclaration } from '../../agent/tools/index.js';
import { OpenAiError } from '../openai/index.js';
import { ownerIn, type Submission } from '../wire/index.js';
import { CompletionFiles, namesUpload } from './completion-files.js';
import { APPROVAL_TOOL, INPUT_TOOL } from './completion-info.js';
import type { CompletionRequest } from './completion-request.decoder.js';
import { type Continuation, Continuations, newMessages } from './continuation.js';
import type { DecodedMessage } from './message.decoder.js';
import { ServerFacts } from './server-facts.js';

/** A request, its sender and its session. Without authentication `principal` is that of requests that name no user. */
export interface PlacedRequest extends Submission {
  readonly request: CompletionRequest;
  /** The decisions and answers in its last messages. */
  readonly answers: readonly InterruptAnswer[];
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
    const { request, answers, reach, sessionId } = placed;
    const waiting = await this.continuations.find(reach, request.messages, sessionId);
    if (waiting) return behind(request, waiting, answers);
    if (answers.length > 0) return this.answering(placed);
    return sessionId === undefined ? this.alone(placed) : this.inSession(placed, sessionId);
  }

  /** The session is that of the questions. */
  private answering(placed: PlacedRequest): Place {
    const { request, answers, caller, sessionId } = placed;
    const input = newMessages(request.messages).flatMap(({ result, messages }) => (result ? [] : messages));
    const id = sessionId ?? this.ownSession(placed);
    return {
      principal: ownerOf(placed, id),
      sessionId: id,
      sessionGiven: sessionId !== undefined,
      agentType: this.server.agentType(request.model, caller),
      input,
      answers,
      clientTools: ownTools(request),
    };
  }

  private alone(placed: PlacedRequest): Place {
    const { request, caller } = placed;
    const sessionId = this.ownSession(placed);
    const input = messagesOf(request.messages.slice(leading(request.messages)));
    return {
      // Without authentication uploads that name no user are those of one user.
      principal: input.some(namesUpload) ? placed.principal : ownerOf(placed, sessionId),
      sessionId,
      sessionGiven: false,
      unlistedSession: true,
      agentType: this.server.agentType(request.model, caller),
      input,
      clientTools: ownTools(request),
    };
  }

  private ownSession({ caller, principal, idempotencyKey }: PlacedRequest): string {
    return this.server.sessionId(idempotencyKey, caller, principal);
  }

  /** The server's history is the truth: what precedes the last answer is the client's copy of it. */
  private async inSession(placed: PlacedRequest, sessionId: string): Promise<Place> {
    const { request, caller, reach } = placed;
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
      principal: await ownerIn(this.sessions, caller, { principal: ownerOf(placed, sessionId), reach }, sessionId),
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

/** The owner of a session: without authentication, one that names no user has a user of its own. */
function ownerOf({ caller, user, principal }: PlacedRequest, sessionId: string): Principal {
  return caller.identity === undefined ? caller.actingFor(user, sessionId) : principal;
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

/** The tools that the model may call: without those that ask the client for decisions. */
function ownTools({ tools }: CompletionRequest): readonly ToolDeclaration[] {
  return tools.clientTools.filter(({ name }) => name !== APPROVAL_TOOL && name !== INPUT_TOOL);
}

function messagesOf(messages: readonly DecodedMessage[]): readonly Message[] {
  return messages.flatMap((one) => one.messages);
}
