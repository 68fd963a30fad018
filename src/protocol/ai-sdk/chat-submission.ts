import { Injectable } from '@nestjs/common';
import { type Caller, traceOf } from '../../access/index.js';
import { AgentRegistry } from '../../agent/index.js';
import { AttachmentService, AttachmentSettings } from '../../attachment/index.js';
import { AppError, fingerprint, type Principal, userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { type AcceptedRun, type RunRequest, Runs, type RunView } from '../../run/index.js';
import { Sessions, type SessionMessage } from '../../session/index.js';
import { fieldError } from '../http/index.js';
import { sessionOwner } from '../wire/index.js';
import { type AiSdkData, aiSdkDataOf, dataOfSettings, levelOf, toWireData, uiMetadataOf, WIRE } from './ai-sdk-data.js';
import { AiSdkSettings } from './ai-sdk.settings.js';
import { type ChatRequest, decodeChatRequest, type LastMessage } from './chat-request.decoder.js';
import { importedMessages } from './imported-messages.js';
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

/** What a request says beside its body. */
export interface ChatQuery {
  /** The agent that the path names. */
  readonly agentId?: string | undefined;
  readonly sdk?: '5' | '6' | '7' | undefined;
}

/** A request whose owner is known. */
interface Placed {
  readonly request: ChatRequest;
  readonly caller: Caller;
  readonly principal: Principal;
  readonly data: AiSdkData;
  readonly agentType: string;
}

type UserSaying = Extract<LastMessage, { readonly role: 'user' }>;

/** Finds out what requests mean, and accepts their runs (contract ui-message-stream, section A3). */
@Injectable()
export class ChatSubmission {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly turns: Turns,
    private readonly answers: TurnAnswers,
    private readonly agents: AgentRegistry,
    private readonly attachments: AttachmentService,
    private readonly limits: AttachmentSettings,
    private readonly settings: AiSdkSettings,
  ) {}

  /**
   * Decodes a request and accepts its run, which is committed when this resolves.
   *
   * @throws AppError for everything that the contract refuses; then nothing is written
   */
  async submit(body: unknown, { agentId, sdk }: ChatQuery, caller: Caller): Promise<SubmittedChat> {
    const request = decodeChatRequest(body, this.limits.maxBytes);
    const principal = await this.ownerOf(caller, request.chatId);
    const level = sdk === undefined ? undefined : levelOf(sdk);
    const { metadata } = request;
    const data = { ...dataOfSettings(this.settings, level), ...(metadata && { metadata }) };
    const agentType = this.agentOf(agentId ?? request.agentId, caller);
    const placed = { request, caller, principal, data, agentType };
    if (request.last.role === 'assistant') return this.answering(placed);
    return request.trigger === 'regenerate-message' ? this.regenerating(placed) : this.saying(placed, request.last);
  }

  /** The user that a request for a chat acts for. */
  ownerOf(caller: Caller, chatId: string): Promise<Principal> {
    return sessionOwner(this.sessions, caller, chatId, { named: caller.headerUser(), unnamed: chatId });
  }

  private async saying(placed: Placed, last: UserSaying): Promise<SubmittedChat> {
    const { request, principal } = placed;
    const { chatId, messageId } = request;
    const edited = messageId === undefined ? undefined : await this.question(principal, chatId, messageId);
    if (edited) return this.replacing(placed, edited, [await this.resolved(placed, last)], edited.message.id);
    const known = await this.sessions.message(principal, chatId, last.id);
    if (known) return this.repeated(placed, known, last);
    const message = await this.resolved(placed, last);
    const isNew = request.earlier.length > 0 && (await this.sessions.view(principal, chatId)) === undefined;
    const history = isNew ? importedMessages(request.earlier, this.limits.maxBytes, [last.id]) : [];
    return this.begun(placed, last, [...history, message]);
  }

  /** A message is named by its id: the same one makes the same run, at whichever instance it arrives. */
  private async begun(placed: Placed, last: UserSaying, input: readonly Message[]): Promise<SubmittedChat> {
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
  private async accepted(placed: Placed, input: readonly Message[], runKey: string): Promise<AcceptedRun | undefined> {
    try {
      return await this.runs.accept(this.runOf(placed, { input, runKey }));
    } catch (error) {
      if (error instanceof AppError && error.code === 'RUN_ID_CONFLICT') return undefined;
      throw error;
    }
  }

  /** A message that the session has: the answer to it, whether it is complete or not. */
  private async repeated(placed: Placed, known: SessionMessage, last: UserSaying): Promise<SubmittedChat> {
    const { request, principal } = placed;
    if (!sameContent(known.message, await this.resolved(placed, last))) throw new AppError('MESSAGE_CONFLICT');
    if (request.answers.length > 0) return this.answering(placed);
    if (known.runId === null || uiMetadataOf(known.message.metadata)?.['imported'] === true) {
      throw new AppError('NOTHING_NEW', 'The message is part of the conversation already');
    }
    const run = await this.runs.view(userReach(principal), known.runId);
    return { kind: 'turn', turn: await this.turns.from(run), from: run };
  }

  private async regenerating(placed: Placed): Promise<SubmittedChat> {
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
    placed: Placed,
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
      ...this.runOf(placed, { input: [...before, ...asked], runKey }),
      replacesFrom: message.id,
      onBusy: 'rollback',
    });
    return { kind: 'run', run: accepted.run };
  }

  private async answering(placed: Placed): Promise<SubmittedChat> {
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
      ...this.runOf(
        { ...placed, data: { ...data, ...(messageId !== undefined && { messageId }) }, agentType: run.agentType },
        { input: found.input, runKey: found.runKey },
      ),
      ...(found.answers.length > 0 && { answers: found.answers }),
      clientTools: request.tools.length > 0 ? request.tools : run.clientTools,
      onBusy: 'enqueue',
    });
    return { kind: 'run', run: accepted };
  }

  private runOf(
    { request, caller, principal, data, agentType }: Placed,
    { input, runKey }: { readonly input: readonly Message[]; readonly runKey: string },
  ): RunRequest {
    const { chatId, tools, system, clientTime, locale, state, answers } = request;
    return {
      wire: WIRE,
      principal,
      reach: userReach(principal),
      requester: caller.requesterFor(caller.headerUser()),
      sessionId: chatId,
      agentType,
      input,
      messagesField: 'messages',
      runKey,
      clientTools: tools,
      modelOptions: {},
      forwardedProps: {},
      onBusy: this.settings.busyPolicy,
      wireData: toWireData(data),
      ...(answers.length > 0 && { answers }),
      ...(system !== undefined && { systemPrompt: system }),
      ...(clientTime && { clientTime }),
      ...(locale !== undefined && { locale }),
      ...(state && { state }),
      ...traceOf(caller),
    };
  }

  /** The message of a user that an earlier request has brought; undefined for any other id. */
  private async question(principal: Principal, chatId: string, id: string): Promise<SessionMessage | undefined> {
    const found = id === '' ? undefined : await this.sessions.message(principal, chatId, id);
    return found?.message.role === 'user' && found.message.type === 'message' ? found : undefined;
  }

  /** The message of a request with the uploads of its owner in place of their ids. */
  private async resolved({ principal }: Placed, { message, uploads }: UserSaying): Promise<Message> {
    if (uploads.size === 0) return message;
    const content = await Promise.all(
      (message.content ?? []).map(async (part, index) => {
        const path = uploads.get(index);
        if (path === undefined || part.type !== 'file') return part;
        const reference = await this.attachments.referenceTo(principal, part.file_id ?? '');
        if (reference === undefined) throw fieldError(path, 'names no upload of the user', 'ATTACHMENT_NOT_FOUND');
        const { index: at, status, delta, msg_id, object } = part;
        return { object, type: 'image' as const, image_url: reference, index: at, delta, msg_id, status };
      }),
    );
    return { ...message, content };
  }

  /** @throws AppError AGENT_NOT_FOUND */
  private agentOf(named: string | undefined, { authority }: Caller): string {
    const { defaultName } = this.agents;
    if (named === undefined) return defaultName;
    const isOffered = this.agents.isKnownTo(authority, named) || (!authority && named === defaultName);
    if (!isOffered) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${named}`);
    return named;
  }
}

function keyOf(...parts: readonly unknown[]): string {
  return `ui:${fingerprint(parts)}`;
}
