import { Injectable } from '@nestjs/common';
import { estimateMessageTokens, estimateTextTokens } from '../../agent/index.js';
import { AppError, type Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { Runs } from '../../run/index.js';
import { requestPrincipal } from '../http/index.js';
import { InputResolver } from './input-resolver.js';
import { HISTORY_VIEW } from './items/item-view.js';
import { historyItems } from './items/output-items.js';
import type { Item } from './items/item.types.js';
import { condense } from './request/compaction.js';
import type { CreateRequest } from './request/create-request.decoder.js';
import { bodyFields } from './request/create-request.decoder.js';
import { type ResponseInfo, storedResponseInfo } from './response-info.js';
import type { ResponseUsage } from './response.types.js';
import { ResponsesIntake } from './responses-intake.js';
import { ResponsesOwner } from './responses-owner.js';
import { previousNotFound } from './responses-refusal.js';
import { SessionHistory } from './session-history.js';
import { fieldError } from '../http/field-reader.js';

/** What a request goes on from. */
export type Predecessor = Pick<CreateRequest, 'conversationId' | 'previousResponseId' | 'user'>;

/** How many tokens a request would give to the model. */
export interface InputTokens {
  readonly object: 'response.input_tokens';
  readonly input_tokens: number;
}

/** A conversation made shorter. */
export interface Compaction {
  readonly id: string;
  readonly object: 'response.compaction';
  readonly created_at: number;
  readonly output: readonly Item[];
  readonly usage: ResponseUsage;
}

/** The conversation up to a response that only a connection remembers. */
export type Remembered = (responseId: string) => readonly Message[] | undefined;

/** A response without output. */
export interface PreparedResponse {
  readonly info: ResponseInfo;
  /** The conversation with what the request brought. */
  readonly messages: readonly Message[];
}

/** What a request's model would see, without a run: counted, or made shorter (contract responses, section A1). */
@Injectable()
export class ResponseContext {
  constructor(
    private readonly runs: Runs,
    private readonly intake: ResponsesIntake,
    private readonly owner: ResponsesOwner,
    private readonly resolver: InputResolver,
    private readonly history: SessionHistory,
  ) {}

  /** Estimated as the server estimates for its context window. @throws AppError as a request for a response */
  async count(body: unknown): Promise<InputTokens> {
    const request = this.intake.decode(body);
    const messages = await this.messages(request);
    const tools = request.echo.tools.length === 0 ? '' : JSON.stringify(request.echo.tools);
    const texts = estimateTextTokens(request.instructions ?? '') + estimateTextTokens(tools);
    const total = messages.reduce((sum, message) => sum + estimateMessageTokens(message), texts);
    return { object: 'response.input_tokens', input_tokens: total };
  }

  /**
   * The user's messages as they are, and everything else condensed to one item that only this server
   * reads again. @throws AppError MISSING_PARAMETER (model); as a request for a response
   */
  async compact(body: unknown): Promise<Compaction> {
    if (bodyFields(body).string('model') === undefined) throw fieldError('model', 'is required', 'MISSING_PARAMETER');
    const messages = await this.messages(this.intake.decode(body));
    const said = messages.filter(({ type, role }) => type === 'message' && role === 'user');
    const text = condense(messages);
    const compacted: Item = {
      id: this.intake.newId('cmp_'),
      type: 'compaction',
      encrypted_content: this.intake.seal(text),
    };
    const [input, output] = [tokensOf(messages), tokensOf(said) + estimateTextTokens(text)];
    return {
      id: this.intake.newId('resp_'),
      object: 'response.compaction',
      created_at: this.intake.seconds(),
      output: [...historyItems(said, HISTORY_VIEW), compacted],
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
   * A response for which nothing is generated, and what a request that goes on from it sees. It is stored
   * nowhere. @throws AppError as a request for a response
   */
  async prepare(body: unknown, remembered: Remembered): Promise<PreparedResponse> {
    const request = this.intake.decode(body);
    const { echo, clientTools, previousResponseId } = request;
    const known = previousResponseId === undefined ? undefined : remembered(previousResponseId);
    const stored = {
      createdAt: this.intake.seconds(),
      echo: { ...echo, store: false },
      clientTools: clientTools.map(({ name }) => name),
      approvals: [],
    };
    const info = storedResponseInfo(this.intake.newId('resp_'), this.intake.agentType(echo.model), stored);
    return { info, messages: await this.messages(request, known) };
  }

  private async messages(request: CreateRequest, known?: readonly Message[]): Promise<readonly Message[]> {
    const scope = {
      tenantId: requestPrincipal(undefined).tenantId,
      ...(request.user !== undefined && { userId: request.user }),
    };
    const before = known ?? (await this.before(request));
    return [...before, ...(await this.resolver.resolve(scope, request.input))];
  }

  /** The conversation that a request goes on from. @throws AppError SESSION_NOT_FOUND, RUN_NOT_FOUND */
  async before({ conversationId, previousResponseId, user }: Predecessor): Promise<readonly Message[]> {
    if (conversationId !== undefined) {
      const principal = await this.owner.ofConversation(conversationId, user, 'conversation');
      return this.history.messages(principal, conversationId);
    }
    if (previousResponseId === undefined) return [];
    const run = await this.runs.view(requestPrincipal(user), previousResponseId).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') throw previousNotFound(previousResponseId);
      throw error;
    });
    const principal: Principal = { ...requestPrincipal(user), userId: run.userId };
    return this.history.messages(principal, run.sessionId, run.ordinal);
  }
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}
