import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { type Caller, type NamedUser, namedUser, traceOf } from '../../access/index.js';
import { type Message, textOf } from '../../events/index.js';
import { type AcceptedRun, type InterruptAnswer, type RunRequest, Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import type { ToolDeclaration } from '../../tools/index.js';
import { fieldError } from '../http/field-reader.js';
import { bodyUserOf, idempotencyKeyOf, OpenAiError } from '../openai/index.js';
import { sessionOwner } from '../wire/index.js';
import { submissionError } from './chat-completions.errors.js';
import { ChatCompletionsSettings } from './chat-completions.settings.js';
import { APPROVAL_TOOL, type CompletionData, INPUT_TOOL, toWireData, WIRE } from './completion-info.js';
import { type CompletionRequest, decodeCompletionRequest } from './completion-request.decoder.js';
import { answersOf, type Continuation, Continuations, digestOf, newMessages } from './continuation.js';
import type { DecodedMessage } from './message.decoder.js';
import { ServerFacts } from './server-facts.js';
import { sessionNameOf, toolTraceOf } from './session-name.js';

/** A request for a completion whose run is accepted. */
export interface SubmittedCompletion {
  readonly run: RunView;
  readonly stream: boolean;
  /** Whether the run continues when its client leaves, because the client can ask for it again. */
  readonly isRepeatable: boolean;
}

/** What is known of a request while its run is put together. */
interface Submission {
  readonly request: CompletionRequest;
  readonly caller: Caller;
  readonly user: NamedUser | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Undefined: the messages are the whole context. */
  readonly sessionId: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** The parts of a run request that depend on what the request continues. */
type Place = Pick<RunRequest, 'principal' | 'sessionId' | 'sessionGiven' | 'agentType' | 'input' | 'clientTools'> &
  Partial<Pick<RunRequest, 'answers' | 'runKey'>>;

/** Accepts requests for completions (contract chat-completions, sections A3, B and C2). */
@Injectable()
export class CompletionSubmission {
  private readonly logger = new Logger(CompletionSubmission.name);

  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly continuations: Continuations,
    private readonly server: ServerFacts,
    private readonly settings: ChatCompletionsSettings,
  ) {}

  /**
   * Decodes a request and accepts its run, which is committed when this resolves.
   *
   * @throws AppError for everything that the contract refuses; then nothing is written
   */
  async submit(body: unknown, caller: Caller, headers: IncomingHttpHeaders): Promise<SubmittedCompletion> {
    const request = decodeCompletionRequest(body);
    const idempotencyKey = idempotencyKeyOf(headers['idempotency-key']);
    const user = namedUser('user', bodyUserOf(caller, request.user));
    const sessionId = sessionNameOf(headers, request.metadata, this.settings.sessionHeaders);
    const submission = { request, caller, user, headers, sessionId, idempotencyKey };
    await this.checkTools(request);
    const place = await this.placeOf(submission);
    const { run } = await this.accept(this.runOf(submission, place));
    return { run, stream: request.stream, isRepeatable: idempotencyKey !== undefined };
  }

  /** @throws AppError for a tool with the name of one of the server's */
  private async checkTools({ tools }: CompletionRequest): Promise<void> {
    if (tools.skipped.length > 0)
      this.logger.debug(`Skipped tools of the types ${[...new Set(tools.skipped)].join(', ')}`);
    const taken = await this.server.takenName(tools.clientTools.map(({ name }) => name));
    if (taken === undefined) return;
    const path = `tools[${tools.clientTools.findIndex(({ name }) => name === taken)}].function.name`;
    throw fieldError(path, `is the name of a tool of the server: ${taken}`, 'INVALID_PARAMETER');
  }

  /** Where the run belongs: behind the run that waits for its results or answers, in a session, or on its own. */
  private async placeOf(submission: Submission): Promise<Place> {
    const { request, caller, user, sessionId } = submission;
    const reach = caller.reachOf(user);
    const answers = answersOf(request.messages);
    const waiting = await this.continuations.find(reach, request.messages, sessionId);
    if (waiting) return this.behind(submission, waiting, answers);
    if (answers.length > 0) return this.answering(submission, answers);
    return sessionId === undefined ? this.alone(submission) : this.inSession(submission, sessionId);
  }

  private behind(
    { request }: Submission,
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

  /** The session is that of the questions. */
  private answering(submission: Submission, answers: readonly InterruptAnswer[]): Place {
    const { request, caller, user, sessionId } = submission;
    const input = newMessages(request.messages).flatMap(({ result, messages }) => (result ? [] : messages));
    const id = sessionId ?? this.server.newId('chat_');
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

  private alone({ request, caller, user }: Submission): Place {
    const sessionId = this.server.newId('chat_');
    return {
      principal: caller.actingFor(user, sessionId),
      sessionId,
      sessionGiven: false,
      agentType: this.server.agentType(request.model, caller),
      input: messagesOf(request.messages.slice(leading(request.messages))),
      clientTools: ownTools(request),
    };
  }

  /** The server's history is the truth: what precedes the last answer is the client's copy of it. */
  private async inSession({ request, caller, user }: Submission, sessionId: string): Promise<Place> {
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
      agentType: this.server.agentType(request.model, caller),
      input: messagesOf(fresh),
      clientTools: ownTools(request),
    };
  }

  private runOf({ request, caller, user, sessionId, idempotencyKey, headers }: Submission, place: Place): RunRequest {
    const { messages, modelOptions, metadata, store } = request;
    const instructions = messages.slice(0, leading(messages)).flatMap((one) => one.messages.map(textOf));
    const id = this.server.completionId(idempotencyKey, caller, place.principal);
    return {
      ...place,
      reach: caller.reachOf(user),
      requester: caller.requesterFor(user),
      ...(idempotencyKey === undefined ? { newRunId: id } : { runId: id }),
      modelOptions,
      forwardedProps: Object.keys(metadata).length === 0 ? {} : { metadata },
      messagesField: 'messages',
      onBusy: sessionId === undefined ? 'enqueue' : this.settings.busyPolicy,
      wire: WIRE,
      wireData: toWireData(this.dataOf(request, place, sessionId, headers)),
      ...(store === false && { store: false }),
      ...(instructions.length > 0 && { systemPrompt: instructions.join('\n\n') }),
      ...traceOf(caller),
    };
  }

  private dataOf(
    { model, includeUsage, modelOptions, messages, tools, store }: CompletionRequest,
    { agentType }: Place,
    sessionId: string | undefined,
    headers: IncomingHttpHeaders,
  ): CompletionData {
    const declares = (name: string): boolean => tools.clientTools.some((tool) => tool.name === name);
    return {
      model: model ?? agentType,
      includeUsage,
      isJson: modelOptions.responseFormat !== undefined,
      asksApproval: declares(APPROVAL_TOOL),
      asksInput: declares(INPUT_TOOL),
      trace: toolTraceOf(headers, this.settings.toolTrace),
      reasoning: this.settings.reasoning,
      approvalText: this.settings.approvalText,
      token: this.server.newToken(),
      digest: digestOf(messages),
      stored: store === true,
      inSession: sessionId !== undefined,
    };
  }

  private async accept(run: RunRequest): Promise<AcceptedRun> {
    try {
      return await this.runs.accept(run);
    } catch (error) {
      throw submissionError(error);
    }
  }
}

/** How many system messages a request begins with: they are the instructions of its run. */
function leading(messages: readonly DecodedMessage[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system');
  return first < 0 ? messages.length : first;
}

/** The tools that the model may call: not those by which the client is asked for decisions. */
function ownTools({ tools }: CompletionRequest): readonly ToolDeclaration[] {
  return tools.clientTools.filter(({ name }) => name !== APPROVAL_TOOL && name !== INPUT_TOOL);
}

function messagesOf(messages: readonly DecodedMessage[]): readonly Message[] {
  return messages.flatMap((one) => one.messages);
}
