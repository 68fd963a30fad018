import { type Caller, namedUser } from '../../access/index.js';
import { Injectable } from '@nestjs/common';
import { estimateMessageTokens, estimateTextTokens } from '../../agent/index.js';
import { userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { fieldError } from '../http/index.js';
import { ConversationHistory } from './conversation-history.js';
import { InputResolver } from './input-resolver.js';
import type { Item } from './items/item.types.js';
import { partText } from '../openai/index.js';
import { itemsOfHistory } from './items/output-items.js';
import { callData, isOutput, isServerCall, outputData } from './items/tool-data.js';
import { bodyFields, type CreateRequest } from './responses-request.decoder.js';
import { type ResponseInfo, storedResponseInfo } from './response-info.js';
import type { ResponseUsage } from './response.types.js';
import { RequestService } from './request.service.js';

/** How many tokens a request would give to the model. */
export interface InputTokens {
  readonly object: 'response.input_tokens';
  /** An estimate; the provider's own count can differ. */
  readonly input_tokens: number;
}

/** A conversation that was shortened. */
export interface Compaction {
  /** Not stored: it cannot be retrieved. */
  readonly id: string;
  readonly object: 'response.compaction';
  /** Seconds since the epoch. */
  readonly created_at: number;
  /** The user's messages, then one `compaction` item. */
  readonly output: readonly Item[];
  /** Estimated, since no model is called. */
  readonly usage: ResponseUsage;
}

/** The conversation up to a response that only its connection remembers; undefined for other responses. */
export type Remembered = (responseId: string) => readonly Message[] | undefined;

/** A response without output. */
export interface PreparedResponse {
  /** What the response object is made from. */
  readonly info: ResponseInfo;
  /** The conversation, including the input of the request. */
  readonly messages: readonly Message[];
}

/** Characters of a compacted conversation. */
const MAX_COMPACTION_LENGTH = 1024 * 1024;
/** Characters that a compaction keeps of one answer, of one tool output, and of the arguments of one call. */
const ANSWER_LENGTH = 2000;
/** Characters of a tool's output, and of a call's arguments, in the condensed text. */
const OUTPUT_LENGTH = 500;
const ARGUMENTS_LENGTH = 200;
const COMPACTION_HEADING = 'Summary of the earlier conversation, condensed by the server:';

/** What a request would give to the model, without a run: counted or compacted (contract responses, section A1). */
@Injectable()
export class ResponseContext {
  constructor(
    private readonly requests: RequestService,
    private readonly history: ConversationHistory,
    private readonly resolver: InputResolver,
  ) {}

  /** Estimates the tokens of a request, as for the context window. @throws AppError as a request for a response */
  async count(body: unknown, caller: Caller): Promise<InputTokens> {
    const request = this.requests.decode(body, caller);
    const messages = await this.messages(request, caller);
    const tools = request.echo.tools.length === 0 ? '' : JSON.stringify(request.echo.tools);
    const texts = estimateTextTokens(request.instructions ?? '') + estimateTextTokens(tools);
    return { object: 'response.input_tokens', input_tokens: texts + tokensOf(messages) };
  }

  /**
   * Returns the user's messages unchanged, and one encrypted item that replaces everything else (contract
   * responses, section A8).
   *
   * @throws AppError MISSING_PARAMETER (model); as a request for a response
   */
  async compact(body: unknown, caller: Caller): Promise<Compaction> {
    if (bodyFields(body).string('model') === undefined) throw fieldError('model', 'is required', 'MISSING_PARAMETER');
    const request = this.requests.decode(body, caller);
    const messages = await this.messages(request, caller);
    const userMessages = messages.filter(({ type, role }) => type === 'message' && role === 'user');
    const text = condense(messages);
    const compacted: Item = {
      id: this.requests.newId('cmp_'),
      type: 'compaction',
      encrypted_content: this.requests.encrypt(text, caller, request.user),
    };
    const [input, output] = [tokensOf(messages), tokensOf(userMessages) + estimateTextTokens(text)];
    return {
      id: this.requests.newId('resp_'),
      object: 'response.compaction',
      created_at: this.requests.seconds(),
      output: [...itemsOfHistory(userMessages), compacted],
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      },
    };
  }

  /**
   * Makes a response for which nothing is generated and which is not stored, and the conversation for
   * requests that continue from it (contract responses, section B1).
   *
   * @throws AppError as a request for a response
   */
  async prepare(body: unknown, caller: Caller, remembered: Remembered): Promise<PreparedResponse> {
    const request = this.requests.decode(body, caller);
    const { echo, clientTools, previousResponseId } = request;
    const known = previousResponseId === undefined ? undefined : remembered(previousResponseId);
    const stored = {
      createdAt: this.requests.seconds(),
      echo: { ...echo, store: false },
      clientTools: clientTools.map(({ name }) => name),
      approvals: [],
    };
    const info = storedResponseInfo(this.requests.newId('resp_'), this.requests.agentType(echo.model, caller), stored);
    return { info, messages: await this.messages(request, caller, known) };
  }

  /** The conversation that the request continues from, then its input. */
  private async messages(
    request: CreateRequest,
    caller: Caller,
    known?: readonly Message[],
  ): Promise<readonly Message[]> {
    const continued = known ? { messages: known } : await this.history.continued(caller, request);
    const own = caller.reachOf(namedUser('user', request.user));
    const reaches = continued.owner ? [userReach(continued.owner), own] : [own];
    return [...continued.messages, ...(await this.resolver.resolve(reaches, request.input))];
  }
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

/**
 * The messages of others than the user as one text: answers and tool calls in order, each shortened;
 * reasoning is left out. No model is called, so the same conversation always gives the same text.
 */
function condense(messages: readonly Message[]): string {
  const lines = messages.flatMap(condensedLine);
  return lines.length === 0 ? '' : [COMPACTION_HEADING, ...lines].join('\n').slice(0, MAX_COMPACTION_LENGTH);
}

/** The user's messages are kept unchanged, so they get no line here. */
function condensedLine(message: Message): string[] {
  const { type, role } = message;
  if (type === 'message') {
    if (role === 'user') return [];
    const text = (message.content ?? []).map(partText).join(' ');
    return [`- ${role ?? 'assistant'}: ${shortened(text, ANSWER_LENGTH)}`];
  }
  if (isOutput(type)) return [`- tool output: ${shortened(outputData(message).output, OUTPUT_LENGTH)}`];
  if (!isServerCall(type) && type !== 'function_call') return [];
  const call = callData(message, '');
  return [`- called ${call.name} with ${shortened(call.arguments, ARGUMENTS_LENGTH)}`];
}

/** One line of limited length, so that a long output cannot fill the summary. */
function shortened(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length)} […]`;
}
