import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { namedUser, sentWith } from '../../access/index.js';
import { AppError, type JsonObject } from '../../common/index.js';
import { textOf } from '../../events/index.js';
import { type AcceptedRun, type RunListing, type RunRequest, Runs, type RunView } from '../../run/index.js';
import { bodyUserOf, idempotencyKeyOf, OpenAiError } from '../openai/index.js';
import { submissionOf, type WireRequest } from '../wire/index.js';
import { submissionError } from './chat-completions.errors.js';
import { ChatCompletionsSettings, TOOL_TRACES, type ToolTrace } from './chat-completions.settings.js';
import { CompletionFiles } from './completion-files.js';
import { APPROVAL_TOOL, type CompletionData, INPUT_TOOL, toWireData, WIRE } from './completion-info.js';
import { CompletionPlaces, leading, type Place, type PlacedRequest } from './completion-place.js';
import { type CompletionRequest, decodeCompletionRequest } from './completion-request.decoder.js';
import { CompletionQueryDto } from './dto/queries.dto.js';
import { answersOf, digestOf } from './continuation.js';
import { ServerFacts } from './server-facts.js';

const SESSION_HEADER = 'x-session-id';

/**
 * The session that a request names: the header `X-Session-Id`, otherwise the first of the further headers that is
 * present, or `metadata.session_id` (contract chat-completions, section B2). A user is never a session.
 *
 * @param further names of headers in lower case
 * @throws OpenAiError for two different names, or one that cannot be a session
 */
function sessionNameOf(
  headers: IncomingHttpHeaders,
  metadata: JsonObject,
  further: readonly string[],
): string | undefined {
  const given = metadata['session_id'];
  const inBody = typeof given === 'string' && given !== '' ? checked(given, 'metadata.session_id') : undefined;
  const header = [SESSION_HEADER, ...further].find((name) => headers[name] !== undefined && headers[name] !== '');
  if (header === undefined) return inBody;
  const inHeader = checked(headerText(headers, header), header);
  if (inBody !== undefined && inBody !== inHeader) {
    throw invalid('session_id', `metadata.session_id and the header ${header} name different sessions`);
  }
  return inHeader;
}

/** How the request wants to see the server's calls. @throws OpenAiError for an unknown word */
function toolTraceOf(headers: IncomingHttpHeaders, standard: ToolTrace): ToolTrace {
  const given = headers['x-tool-trace'];
  if (given === undefined) return standard;
  const trace = TOOL_TRACES.find((one) => one === given);
  if (trace) return trace;
  throw invalid('X-Tool-Trace', `X-Tool-Trace must be one of ${TOOL_TRACES.join(', ')}`);
}

/** Node reads headers as Latin-1, but clients write UTF-8. */
function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return Buffer.from(Array.isArray(value) ? value.join(',') : (value ?? ''), 'latin1').toString('utf8');
}

function checked(name: string, path: string): string {
  if (name.length <= 256 && /^[^\p{Cc}\p{Cs}\ufffd]+$/u.test(name)) return name;
  throw invalid(path, `${path} must have 1 to 256 characters and no control characters`);
}

function invalid(param: string, message: string): OpenAiError {
  return new OpenAiError('INVALID_PARAMETER', message, param);
}

/** A request for a completion whose run is accepted. */
export interface SubmittedCompletion {
  readonly run: RunView;
  readonly stream: boolean;
  /** Whether the run continues when its client leaves, because the client can ask for it again. */
  readonly isRepeatable: boolean;
}

/** A decoded request for a completion. */
export interface CompletionAsked extends PlacedRequest {
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
   * A request, and for whom it acts.
   *
   * @throws AppError as `WireRequest.query`, `decodeCompletionRequest`, `Caller.submitter`; for headers that are not valid
   */
  async decode(wireRequest: WireRequest): Promise<CompletionAsked> {
    wireRequest.query(CompletionQueryDto);
    const { body, caller, headers } = wireRequest;
    const request = decodeCompletionRequest(body, this.files.maxBytes);
    await this.server.checkTools(request.tools, this.server.agentType(request.model, caller));
    const idempotencyKey = idempotencyKeyOf(headers['idempotency-key'], 'Idempotency-Key');
    const user = caller.oneUser(namedUser('user', bodyUserOf(caller, request.user)), caller.headerUser());
    const sessionId = sessionNameOf(headers, request.metadata, this.settings.sessionHeaders);
    const trace = toolTraceOf(headers, this.settings.toolTrace);
    const { messages } = request;
    const instructions = messages.slice(0, leading(messages)).flatMap((one) => one.messages.map(textOf));
    const answers = answersOf(messages);
    const { principal, reach, requester, traceparent } = submissionOf(caller, { named: user });
    return {
      principal,
      reach,
      requester,
      request,
      answers,
      caller,
      user,
      sessionId,
      idempotencyKey,
      trace,
      instructions,
      ...(traceparent !== undefined && { traceparent }),
    };
  }

  /**
   * Accepts the run of a request, which is committed when this resolves.
   *
   * @throws AppError for everything that the contract refuses; then nothing is written
   */
  async submit(asked: CompletionAsked): Promise<SubmittedCompletion> {
    const { request, idempotencyKey } = asked;
    const place = await this.places.of(asked);
    const { run } = await this.accept(this.runOf(asked, place), request);
    return { run, stream: request.stream, isRepeatable: idempotencyKey !== undefined };
  }

  private runOf(submission: CompletionAsked, place: Place): RunRequest {
    const { request, caller, reach, requester, traceparent, sessionId, idempotencyKey, instructions } = submission;
    const { modelOptions, metadata, store } = request;
    const id = this.server.completionId(idempotencyKey, caller, place.principal);
    const data = this.dataOf(submission, place);
    return {
      ...place,
      reach,
      requester,
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
      ...(traceparent !== undefined && { traceparent }),
      ...sentWith(caller),
    };
  }

  private dataOf({ request, sessionId, trace, instructions }: CompletionAsked, { agentType }: Place): CompletionData {
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
