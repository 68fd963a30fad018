import { Injectable } from '@nestjs/common';
import { AppError, type Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import { type Caller, namedUser } from '../../access/index.js';
import type { CreateRequest } from './responses-request.decoder.js';
import { notFound, previousNotFound } from './responses.errors.js';

/** Above every ordinal; the largest number that the column holds. */
const LAST_ORDINAL = 2 ** 31 - 1;

/** What a request continues from. */
export type ContinuedFrom = Pick<CreateRequest, 'conversationId' | 'previousResponseId' | 'user'>;

/**
 * Finds what requests continue from (contract responses, section A8). Requests of this wire seldom name a user:
 * a conversation that is created without one belongs to a user of its own name.
 */
@Injectable()
export class ConversationHistory {
  constructor(
    private readonly sessions: Sessions,
    private readonly runs: Runs,
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
    const run = await this.runs.view(caller.reachOf(namedUser('user', user)), id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    });
    if (!run) throw previousNotFound(id);
    return run;
  }

  /** All messages of a conversation, oldest first. @param through only up to the run with this ordinal */
  async messages(principal: Principal, sessionId: string, through?: number): Promise<readonly Message[]> {
    const ordinal = through === undefined ? LAST_ORDINAL : through + 1;
    return (await this.sessions.before(principal, { sessionId, ordinal })).map(({ message }) => message);
  }

  /** The conversation that a request continues from. @throws OpenAiError SESSION_NOT_FOUND, RUN_NOT_FOUND */
  async continued(
    caller: Caller,
    { conversationId, previousResponseId, user }: ContinuedFrom,
  ): Promise<readonly Message[]> {
    if (conversationId !== undefined) {
      return this.messages(await this.owner(caller, conversationId, user, 'conversation'), conversationId);
    }
    if (previousResponseId === undefined) return [];
    const run = await this.previous(caller, previousResponseId, user);
    return this.messages(run, run.sessionId, run.ordinal);
  }
}
