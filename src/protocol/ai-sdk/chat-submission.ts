import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AppError, canonicalJson, type Principal, userReach } from '../../common/index.js';
import { type AcceptedRun, Runs } from '../../run/index.js';
import type { SessionMessage } from '../../agent/session/index.js';
import { addressKey } from '../../agent/attachment/index.js';
import type { Content, Message } from '../../events/index.js';
import { aiSdkDataOf, uiMetadataOf } from './ai-sdk-data.js';
import { ChatReplacements } from './chat-replacements.js';
import { ChatRequests, type PlacedChat, type RunInput, type UserSaying } from './chat-requests.js';
import { keyOf, type SubmittedChat } from './submitted-chat.js';
import { TurnAnswers } from './turn-answers.js';
import { Turns } from './turns.js';

/** Finds out what requests mean, and accepts their runs (contract ui-message-stream, section A3). */
@Injectable()
export class ChatSubmission {
  constructor(
    private readonly runs: Runs,
    private readonly turns: Turns,
    private readonly answers: TurnAnswers,
    private readonly requests: ChatRequests,
    private readonly replacements: ChatReplacements,
  ) {}

  /**
   * Accepts the run of a request, which is committed when this resolves.
   *
   * @throws AppError for everything that the contract refuses; then nothing is written
   */
  async submit(placed: PlacedChat): Promise<SubmittedChat> {
    const { request } = placed;
    if (request.last.role === 'assistant') return this.answering(placed);
    return request.trigger === 'regenerate-message'
      ? this.replacements.regenerating(placed)
      : this.saying(placed, request.last);
  }

  /** As `ChatRequests.ownerOf`. */
  ownerOf(caller: Caller, chatId: string): Promise<Principal> {
    return this.requests.ownerOf(caller, chatId);
  }

  private async saying(placed: PlacedChat, last: UserSaying): Promise<SubmittedChat> {
    const { request, principal } = placed;
    const { chatId, messageId } = request;
    const edited = messageId === undefined ? undefined : await this.replacements.question(principal, chatId, messageId);
    if (edited) return this.replacements.editing(placed, last, edited);
    const known = await this.requests.known(placed, last.id);
    if (known) return this.repeated(placed, known, last);
    const message = await this.requests.resolved(placed, last);
    if (!(await this.requests.isImport(placed))) return this.begun(placed, last, { input: [message] });
    const { messages, addresses: imported } = this.requests.history(request);
    return this.begun(placed, last, { input: [...messages, message], imported });
  }

  /** A message is named by its id: the same one makes the same run, at whichever instance it arrives. */
  private async begun(placed: PlacedChat, last: UserSaying, given: Omit<RunInput, 'runKey'>): Promise<SubmittedChat> {
    const { principal, request } = placed;
    const { chatId } = request;
    const named = await this.accepted(placed, { ...given, runKey: keyOf('message', last.id) });
    if (named?.created === true) return { kind: 'run', run: named.run };
    const known = await this.requests.known(placed, last.id);
    // The same message with other options, or from another request at the same time.
    if (known) return this.repeated(placed, known, last);
    // It was taken back meanwhile.
    const [newest] = await this.runs.list(principal, chatId, { limit: 1 });
    const runKey = keyOf('message', last.id, newest?.ordinal ?? 0);
    const again = await this.accepted(placed, { ...given, runKey });
    if (!again) throw new AppError('MESSAGE_CONFLICT');
    return { kind: 'run', run: again.run };
  }

  /** Undefined if the key was used for another request. */
  private async accepted(placed: PlacedChat, input: RunInput): Promise<AcceptedRun | undefined> {
    try {
      return await this.runs.accept(this.requests.runOf(placed, input));
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

  private async answering(placed: PlacedChat): Promise<SubmittedChat> {
    const { request, principal, data } = placed;
    const { chatId, last } = request;
    const turn = await this.turns.last(principal, chatId);
    const run = turn.at(-1);
    if (!run) throw new AppError('NOTHING_NEW', 'The chat has nothing that could be answered');
    const found = await this.answers.of(turn, run, request);
    const own = this.turns.answerId(turn);
    const shown = last.role === 'assistant' ? last.id : own;
    if (found.kind === 'waiting') return { kind: 'waiting', turn, messageId: shown, level: data.level };
    if (found.kind === 'joined') return { kind: 'turn', turn, from: found.run, messageId: shown };
    const messageId = shown === own ? aiSdkDataOf(run)?.messageId : shown;
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
}

/** True for messages that say the same, whatever their ids, states and the signatures of their addresses. */
function sameContent(one: Pick<Message, 'content'>, other: Pick<Message, 'content'>): boolean {
  return contentKey(one) === contentKey(other);
}

function contentKey({ content }: Pick<Message, 'content'>): string {
  return canonicalJson((content ?? []).map(valueOf));
}

/** A content without what only describes its life cycle or position. */
function valueOf({ index, status, delta, msg_id, error, ...value }: Content): object {
  void [index, status, delta, msg_id, error];
  if (value.type === 'image' && value.image_url !== null) return { ...value, image_url: addressKey(value.image_url) };
  if (value.type === 'file' && value.file_url !== null) return { ...value, file_url: addressKey(value.file_url) };
  return value;
}
