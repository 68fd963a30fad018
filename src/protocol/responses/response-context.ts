import { Injectable } from '@nestjs/common';
import { type Caller, namedUser } from '../../access/index.js';
import { condense, estimateMessageTokens, estimateTextTokens, toModelMessages } from '../../agent/index.js';
import { userReach } from '../../common/index.js';
import { type Message, sinceSummary } from '../../events/index.js';
import { ConversationHistory } from './conversation-history.js';
import { InputResolver } from './input-resolver.js';
import type { Item } from './items/item.types.js';
import { itemsOfHistory } from './items/output-items.js';
import type { CreateRequest } from './responses-request.decoder.js';
import { type ResponseInfo, storedResponseInfo } from './response-info.js';
import type { ResponseUsage } from './response.types.js';
import { ResponseRequests } from './response-requests.js';

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

/** Estimated tokens of a compacted conversation: its text is well within what can be decrypted. */
const MAX_COMPACTION_TOKENS = 256 * 1024;

/** What a request would give to the model, without a run: counted or compacted (contract responses, section A1). */
@Injectable()
export class ResponseContext {
  constructor(
    private readonly requests: ResponseRequests,
    private readonly history: ConversationHistory,
    private readonly resolver: InputResolver,
  ) {}

  /** Estimates the tokens of a request, as for the context window. @throws AppError as a request for a response */
  async count(request: CreateRequest, caller: Caller): Promise<InputTokens> {
    const messages = await this.messages(request, caller);
    const tools = request.echo.tools.length === 0 ? '' : JSON.stringify(request.echo.tools);
    const texts = estimateTextTokens(request.instructions ?? '') + estimateTextTokens(tools);
    return { object: 'response.input_tokens', input_tokens: texts + tokensOf(messages) };
  }

  /**
   * Returns the user's messages unchanged, and one encrypted item that replaces everything else (contract
   * responses, section A8).
   *
   * @throws AppError as a request for a response
   */
  async compact(request: CreateRequest, caller: Caller): Promise<Compaction> {
    const messages = await this.messages(request, caller);
    const userMessages = messages.filter(({ type, role }) => type === 'message' && role === 'user');
    const text = condense(toModelMessages('', messages), { whose: 'others', maxTokens: MAX_COMPACTION_TOKENS });
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

  /** The conversation that the request continues from, then its input: what still counts of both. */
  private async messages(
    request: CreateRequest,
    caller: Caller,
    known?: readonly Message[],
  ): Promise<readonly Message[]> {
    const continued = known ? { messages: known } : await this.history.continued(caller, request);
    const own = caller.reachOf(namedUser('user', request.user));
    const reaches = continued.owner ? [userReach(continued.owner), own] : [own];
    return sinceSummary([...continued.messages, ...(await this.resolver.resolve(reaches, request.input))]);
  }
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}
