import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type Caller, namedUser, traceOf } from '../../access/index.js';
import { AppError } from '../../common/index.js';
import { textOf } from '../../events/index.js';
import { type AcceptedRun, type RunListing, type RunRequest, Runs, type RunView } from '../../run/index.js';
import { bodyUserOf, idempotencyKeyOf, OpenAiError } from '../openai/index.js';
import { submissionError } from './chat-completions.errors.js';
import { ChatCompletionsSettings } from './chat-completions.settings.js';
import { CompletionFiles } from './completion-files.js';
import { APPROVAL_TOOL, type CompletionData, INPUT_TOOL, toWireData, WIRE } from './completion-info.js';
import { CompletionPlaces, leading, type Place, type PlacedRequest } from './completion-place.js';
import { type CompletionRequest, decodeCompletionRequest } from './completion-request.decoder.js';
import { digestOf } from './continuation.js';
import { ServerFacts } from './server-facts.js';
import { sessionNameOf, toolTraceOf } from './session-name.js';
import type { ToolTrace } from './chat-completions.settings.js';

/** A request for a completion whose run is accepted. */
export interface SubmittedCompletion {
  readonly run: RunView;
  readonly stream: boolean;
  /** Whether the run continues when its client leaves, because the client can ask for it again. */
  readonly isRepeatable: boolean;
}

/** What is known of a request while its run is put together. */
interface Submission extends PlacedRequest {
  readonly trace: ToolTrace;
  readonly instructions: string[];
}

/** Accepts requests for completions (contract chat-completions, sections A3, B and C2). */
@Injectable()
export class CompletionSubmission {
  constructor(
    private readonly runs: Runs,
    private readonly places: CompletionPlaces,
    private readonly server: ServerFacts,
    private readonly files: CompletionFiles,
    private readonly settings: ChatCompletionsSettings,
  ) {}

  /**
   * Decodes a request and accepts its run, which is committed when this resolves.
   *
   * @throws AppError for everything that the contract refuses; then nothing is written
   */
  async submit(body: unknown, caller: Caller, headers: IncomingHttpHeaders): Promise<SubmittedCompletion> {
    const request = decodeCompletionRequest(body, this.files.maxBytes);
    await this.server.checkTools(request.tools, this.server.agentType(request.model, caller));
    const idempotencyKey = idempotencyKeyOf(headers['idempotency-key'], 'Idempotency-Key');
    const user = caller.oneUser(namedUser('user', bodyUserOf(caller, request.user)), caller.headerUser());
    const sessionId = sessionNameOf(headers, request.metadata, this.settings.sessionHeaders);
    const trace = toolTraceOf(headers, this.settings.toolTrace);
    const { messages } = request;
    const instructions = messages.slice(0, leading(messages)).flatMap((one) => one.messages.map(textOf));
    const submission = { request, caller, user, sessionId, idempotencyKey, trace, instructions };
    const place = await this.places.of(submission);
    const { run } = await this.accept(this.runOf(submission, place), request);
    return { run, stream: request.stream, isRepeatable: idempotencyKey !== undefined };
  }

  private runOf(submission: Submission, place: Place): RunRequest {
    const { request, caller, user, sessionId, idempotencyKey, instructions } = submission;
    const { modelOptions, metadata, store } = request;
    const id = this.server.completionId(idempotencyKey, caller, place.principal);
    const data = this.dataOf(submission, place);
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
      wireData: toWireData(data),
      ...(store === false && { store: false }),
      ...(store === true && { listing: { model: data.model, metadata: metadata as RunListing['metadata'] } }),
      ...(instructions.length > 0 && { systemPrompt: instructions.join('\n\n') }),
      ...traceOf(caller),
    };
  }

  private dataOf({ request, sessionId, trace, instructions }: Submission, { agentType }: Place): CompletionData {
    const { model, includeUsage, modelOptions, messages, tools, store } = request;
    const declares = (name: string): boolean => tools.clientTools.some((tool) => tool.name === name);
    return {
      model: model ?? agentType,
      includeUsage,
      isJson: modelOptions.responseFormat !== undefined,
      asksApproval: declares(APPROVAL_TOOL),
      asksInput: declares(INPUT_TOOL),
      trace,
      reasoning: this.settings.reasoning,
      approvalText: this.settings.approvalText,
      token: this.server.newToken(),
      digest: digestOf(messages),
      isStored: store === true,
      instructions: store === true ? instructions : [],
      inSession: sessionId !== undefined,
    };
  }

  private async accept(run: RunRequest, { messages }: CompletionRequest): Promise<AcceptedRun> {
    try {
      return await this.runs.accept(run);
    } catch (error) {
      if (error instanceof AppError && error.code === 'INVALID_PARAMETER') throw renumbered(error, run, messages);
      const asked = run.answers?.[0]?.interruptId;
      const at = messages.findLastIndex(({ result }) => result !== undefined && result.callId === asked);
      throw submissionError(error, at < 0 ? 'messages' : `messages[${at}]`);
    }
  }
}

/** The core counts the messages of the run; the client has sent others before them. */
function renumbered(error: AppError, { input }: RunRequest, messages: CompletionRequest['messages']): AppError {
  const path = error.details?.[0]?.path ?? '';
  const [whole, number, rest] = /^messages\[(\d+)\](.*)$/s.exec(path) ?? [];
  const id = number === undefined ? undefined : input[Number(number)]?.id;
  const at = messages.findIndex((one) => one.messages.some((message) => message.id === id));
  if (whole === undefined || at < 0) return error;
  const param = `messages[${at}]${rest}`;
  return new OpenAiError('INVALID_PARAMETER', error.message.replace(whole, param), param);
}
