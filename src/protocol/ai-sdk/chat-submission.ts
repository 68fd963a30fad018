import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AppError, fingerprint, type Principal, userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { type AcceptedRun, Runs, type RunView } from '../../run/index.js';
import { type SessionMessage, Sessions } from '../../session/index.js';
import { fieldError } from '../http/index.js';
import { aiSdkDataOf, uiMetadataOf } from './ai-sdk-data.js';
import { type ChatQuery, ChatRequests, type PlacedChat, type UserSaying } from './chat-requests.js';
import { sameContent } from './same-content.js';
import { TurnAnswers } from './turn-answers.js';
import { Turns } from './turns.js';

/** What a request is answered with. */
export type SubmittedChat =
  /** A run that was accepted, now or by an earlier request that this one repeats: its own part of the turn. */
  | { readonly kind: 'run'; readonly run: RunView }
  /** What the session has already: a turn, from one of its runs on. */
  | { readonly kind: 'turn'; readonly turn: readonly RunView[]; readonly from: RunView }
  /** The turn waits for further answers. */
  | { readonly kind: 'waiting'; readonly turn: readonly RunView[] };

/** Finds out what requests mean, and accepts their runs (contract ui-message-stream, section A3). */
@Injectable()
export class ChatSubmission {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly turns: Turns,
    private readonly answers: TurnAnswers,
    private readonly requests: ChatRequests,
  ) {}

  /**
   * Decodes a request and accepts its run, which is committed when this resolves.
   *
   * @throws AppError for everything that the contract refuses; then nothing is written
   */
  async submit(body: unknown, query: ChatQuery, caller: Caller): Promise<SubmittedChat> {
    const placed = await this.requests.placed(body, query, caller);
    const { request } = placed;
    if (request.last.role === 'assistant') return this.answering(placed);
    return request.trigger === 'regenerate-message' ? this.regenerating(placed) : this.saying(placed, request.last);
  }

  /** As `ChatRequests.ownerOf`. */
  ownerOf(caller: Caller, chatId: string): Promise<Principal> {
    return this.requests.ownerOf(caller, chatId);
  }

  private async saying(placed: PlacedChat, last: UserSaying): Promise<SubmittedChat> {
    const { request, principal } = placed;
    const { chatId, messageId } = request;
    const edited = messageId === undefined ? undefined : await this.question(principal, chatId, messageId);
    if (edited) return this.replacing(placed, edited, [await this.requests.resolved(placed, last)], edited.message.id);
    const known = await this.sessions.message(principal, chatId, last.id);
    if (known) return this.repeated(placed, known, last);
    const message = await this.requests.resolved(placed, last);
    const isNew = request.earlier.length > 0 && (await this.sessions.view(principal, chatId)) === undefined;
    const history = isNew ? this.requests.history(request) : [];
    return this.begun(placed, last, [...history, message]);
  }

  /** A message is named by its id: the same one makes the same run, at whichever instance it arrives. */
  private async begun(placed: PlacedChat, last: UserSaying, input: readonly Message[]): Promise<SubmittedChat> {
    const { principal, request } = placed;
    const { chatId } = request;
    const named = await this.accepted(placed, input, keyOf('message', last.id));
    if (named?.created === true) return { kind: 'run', run: named.run };
    const known = await this.sessions.message(principal, chatId, last.id);
    // The same message with other options, or from another request at the same time.
    if (known) return this.repeated(placed, known, last);
    // It was taken back meanwhile.
    const [newest] = await this.runs.list(principal, chatId, { limit: 1 });
    const again = await this.accepted(placed, input, keyOf('message', last.id, newest?.ordinal ?? 0));
    if (!again) throw new AppError('MESSAGE_CONFLICT');
    return { kind: 'run', run: again.run };
  }

  /** Undefined if the key was used for another request. */
  private async accepted(
    placed: PlacedChat,
    input: readonly Message[],
    runKey: string,
  ): Promise<AcceptedRun | undefined> {
    try {
      return await this.runs.accept(this.requests.runOf(placed, { input, runKey }));
    } catch (error) {
      if (error instanceof AppError && error.code === 'RUN_ID_CONFLICT') return undefined;
      throw error;
    }
  }

  /** A message that the session has: the answer to it, whether it is complete or not. */
  private async repeated(placed: PlacedChat, known: SessionMessage, last: UserSaying): Promise<SubmittedChat> {
    const { request, principal } = placed;
    if (!sameContent(known.message, await this.requests.resolved(placed, last))) throw new AppError('MESSAGE_CONFLICT');
    if (request.answers.length > 0) return this.answering(placed);
    if (known.runId === null || uiMetadataOf(known.message.metadata)?.['imported'] === true) {
      throw new AppError('NOTHING_NEW', 'The message is part of the conversation already');
    }
    const run = await this.runs.view(userReach(principal), known.runId);
    return { kind: 'turn', turn: await this.turns.from(run), from: run };
  }

  private async regenerating(placed: PlacedChat): Promise<SubmittedChat> {
    const { request, principal } = placed;
    const { chatId, messageId, last } = request;
    const first = await this.regenerated(principal, chatId, messageId, last.id);
    if (!first) throw fieldError('messageId', 'names no answer that could be generated again', 'INVALID_PARAMETER');
    const input = await this.runs.input(userReach(first), first.runId);
    const from = input.findLastIndex(({ role }) => role !== 'user' && role !== 'system') + 1;
    const [message] = input.slice(from);
    if (!message) throw fieldError('messageId', 'names an answer without a question', 'INVALID_PARAMETER');
    return this.replacing(placed, { message, runId: first.runId }, input.slice(from), messageId ?? '');
  }

  /** The first run of the turn that is to be run again. */
  private async regenerated(
    principal: Principal,
    chatId: string,
    messageId: string | undefined,
    lastId: string,
  ): Promise<RunView | undefined> {
    const question = await this.question(principal, chatId, messageId ?? '');
    if (question?.runId !== undefined && question.runId !== null) {
      return this.runs.view(userReach(principal), question.runId);
    }
    if (messageId !== undefined) {
      for await (const turn of this.turns.all(principal, chatId)) {
        if (this.turns.answerId(turn) === messageId) return turn[0];
      }
      // A page names its last message by itself until an answer has begun: then the question tells.
      const asked = await this.question(principal, chatId, lastId);
      return asked?.runId ? this.runs.view(userReach(principal), asked.runId) : undefined;
    }
    return (await this.turns.last(principal, chatId))[0];
  }

  /** Takes a question and everything after it back, and asks what takes its place. */
  private async replacing(
    placed: PlacedChat,
    question: Pick<SessionMessage, 'message' | 'runId'>,
    asked: readonly Message[],
    name: string,
  ): Promise<SubmittedChat> {
    const { principal, request } = placed;
    const { chatId } = request;
    const { runId, message } = question;
    // The messages that the run was given before the question stay.
    const given = runId === null ? [] : await this.runs.input(userReach(principal), runId);
    const before = given.slice(
      0,
      Math.max(
        0,
        given.findIndex(({ id }) => id === message.id),
      ),
    );
    const [newest] = await this.runs.list(principal, chatId, { limit: 1 });
    const runKey = keyOf(
      'again',
      name,
      asked.map(({ content }) => content),
      newest?.ordinal ?? 0,
    );
    const accepted = await this.runs.accept({
      ...this.requests.runOf(placed, { input: [...before, ...asked], runKey }),
      replacesFrom: message.id,
      onBusy: 'rollback',
    });
    return { kind: 'run', run: accepted.run };
  }

  private async answering(placed: PlacedChat): Promise<SubmittedChat> {
    const { request, principal, data } = placed;
    const { chatId, last } = request;
    const turn = await this.turns.last(principal, chatId);
    const run = turn.at(-1);
    if (!run) throw new AppError('NOTHING_NEW', 'The chat has nothing that could be answered');
    const found = await this.answers.of(turn, run, request);
    if (found.kind === 'waiting') return { kind: 'waiting', turn };
    if (found.kind === 'joined') return { kind: 'turn', turn, from: found.run };
    const own = this.turns.answerId(turn);
    const isOther = last.role === 'assistant' && last.id !== own;
    const before = aiSdkDataOf(run)?.messageId;
    const messageId = isOther ? last.id : before;
    const { run: accepted } = await this.runs.accept({
      ...this.requests.runOf(
        { ...placed, data: { ...data, ...(messageId !== undefined && { messageId }) }, agentType: run.agentType },
        { input: found.input, runKey: found.runKey },
      ),
      ...(found.answers.length > 0 && { answers: found.answers }),
      clientTools: request.tools.length > 0 ? request.tools : run.clientTools,
      onBusy: 'enqueue',
    });
    return { kind: 'run', run: accepted };
  }

  /** The message of a user that an earlier request has brought; undefined for any other id. */
  private async question(principal: Principal, chatId: string, id: string): Promise<SessionMessage | undefined> {
    const found = id === '' ? undefined : await this.sessions.message(principal, chatId, id);
    return found?.message.role === 'user' && found.message.type === 'message' ? found : undefined;
  }
}

function keyOf(...parts: readonly unknown[]): string {
  return `ui:${fingerprint(parts)}`;
}
