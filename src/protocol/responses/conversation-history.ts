import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { AppError, type Principal, userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { type Caller, namedUser } from '../../access/index.js';
import { findRun, Wires } from '../wire/index.js';
import type { CreateRequest } from './responses-request.decoder.js';
import { notFound, previousNotFound } from './responses.errors.js';

/** Above every ordinal; the largest number that the column holds. */
const LAST_ORDINAL = 2 ** 31 - 1;

/** What a request continues from. */
export type ContinuedFrom = Pick<CreateRequest, 'conversationId' | 'previousResponseId' | 'user'>;

/** The messages that a request continues from. */
export interface ContinuedConversation {
  /** The owner of their session; absent if the request continues from nothing that is stored. */
  readonly owner?: Principal;
  /** Oldest first. */
  readonly messages: readonly Message[];
}

/**
 * Finds what requests continue from (contract responses, section A8). Requests of this wire seldom name a user:
 * a conversation that is created without one belongs to a user of its own name.
 */
@Injectable()
export class ConversationHistory {
  constructor(
    readonly sessions: Sessions,
    readonly runs: Runs,
    readonly wires: Wires,
    private readonly attachments: MessageAttachments,
  ) {}

  /**
   * The owner of a conversation.
   *
   * @param user the user that the request names
   * @param param the field of the request that has the id; null for the path
   * @throws OpenAiError SESSION_NOT_FOUND
   */
  async owner(caller: Caller, id: string, user?: string, param: string | null = null): Promise<Principal> {
    const owner = await (caller.identity === undefined
      ? this.unverifiedOwner(caller, id, user)
      : this.sessions.ownerOf(caller.reachOf(namedUser('user', user)), id));
    if (!owner) throw notFound('SESSION_NOT_FOUND', 'Conversation', id, param);
    return owner;
  }

  /** Without authentication: the named user, the user with the conversation's own name, or the caller's own. */
  private async unverifiedOwner(caller: Caller, id: string, user: string | undefined): Promise<Principal | undefined> {
    const unnamed = [caller.actingFor(undefined, id), caller.principal];
    const candidates = user === undefined ? unnamed : [caller.actingFor(namedUser('user', user)), ...unnamed];
    for (const principal of candidates) {
      if (await this.sessions.view(principal, id)) return principal;
    }
    return undefined;
  }

  /**
   * The run of a previous response.
   *
   * @param user the user that the request names: another user's response is unknown to it
   * @throws OpenAiError RUN_NOT_FOUND
   */
  async previous(caller: Caller, id: string, user: string | undefined): Promise<RunView> {
    try {
      return await findRun(this, caller, caller.reachOf(namedUser('user', user)), id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') throw previousNotFound(id);
      throw error;
    }
  }

  /** The run of a response that the path of a request names. @throws AppError RUN_NOT_FOUND */
  response(caller: Caller, id: string): Promise<RunView> {
    return findRun(this, caller, caller.reach, id);
  }

  /** The messages that a response was requested with, for whoever may read them. @throws AppError RUN_NOT_FOUND */
  async input(run: RunView): Promise<readonly Message[]> {
    return this.attachments.shown(await this.runs.input(userReach(run), run.runId), run);
  }

  /**
   * All messages of a conversation, oldest first, for whoever may read them.
   *
   * @param through only up to the run with this ordinal
   */
  async messages(principal: Principal, sessionId: string, through?: number): Promise<readonly Message[]> {
    const ordinal = through === undefined ? LAST_ORDINAL : through + 1;
    const found = await this.sessions.before(principal, { sessionId, ordinal });
    const messages = found.map(({ message }) => message);
    return this.attachments.shown(messages, principal);
  }

  /** The conversation that a request continues from. @throws OpenAiError SESSION_NOT_FOUND, RUN_NOT_FOUND */
  async continued(
    caller: Caller,
    { conversationId, previousResponseId, user }: ContinuedFrom,
  ): Promise<ContinuedConversation> {
    if (conversationId !== undefined) {
      const owner = await this.owner(caller, conversationId, user, 'conversation');
      return { owner, messages: await this.messages(owner, conversationId) };
    }
    if (previousResponseId === undefined) return { messages: [] };
    const run = await this.previous(caller, previousResponseId, user);
    return { owner: run, messages: await this.messages(run, run.sessionId, run.ordinal) };
  }
}
