import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AgentRegistry } from '../../agent/index.js';
import { AttachmentService, AttachmentSettings } from '../../agent/attachment/index.js';
import { AppError, type Principal, userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { RunRequest } from '../../run/index.js';
import { type SessionMessage, Sessions } from '../../agent/session/index.js';
import { fieldError } from '../http/index.js';
import { sessionOwner, submissionIn, type WireRequest } from '../wire/index.js';
import { type AiSdkData, toWireData, WIRE } from './ai-sdk-data.js';
import { type ChatRequest, decodeChatRequest, type LastMessage } from './chat-request.decoder.js';
import { ChatRunData } from './chat-run-data.js';
import { ChatQueryDto, type LevelQueryDto } from './dto/ai-sdk-queries.dto.js';
import { type ImportedMessages, importedMessages } from './imported-messages.js';

/** The line of the package `ai` that a query names. */
export type ChatLevel = LevelQueryDto['sdk'];

/** A request whose owner is known, and how its runs are begun. */
export interface PlacedChat extends Pick<RunRequest, 'principal' | 'requester' | 'carried'> {
  readonly request: ChatRequest;
  readonly traceparent: string | undefined;
  readonly webhook: string | undefined;
  readonly data: AiSdkData;
  readonly agentType: string;
}

/** A message of the user that is the last of a request. */
export type UserSaying = Extract<LastMessage, { readonly role: 'user' }>;

/** What a run is begun with. */
export interface RunInput {
  readonly input: readonly Message[];
  /** The same one makes the same run. */
  readonly runKey: string;
  /** As in `ImportedMessages`. */
  readonly imported?: ImportedMessages['addresses'] | undefined;
}

/** Decodes requests and makes run requests of them (contract ui-message-stream, section A2). */
@Injectable()
export class ChatRequests {
  constructor(
    private readonly sessions: Sessions,
    private readonly agents: AgentRegistry,
    private readonly attachments: AttachmentService,
    private readonly limits: AttachmentSettings,
    private readonly data: ChatRunData,
  ) {}

  /** @throws AppError naming the first invalid field; AGENT_NOT_FOUND; PERMISSION_DENIED for another user */
  async placed(wireRequest: WireRequest): Promise<PlacedChat> {
    const { sdk } = wireRequest.query(ChatQueryDto);
    const { body, caller, params } = wireRequest;
    const request = decodeChatRequest(body, this.limits.maxBytes);
    const { chatId } = request;
    const naming = { named: caller.headerUser(), unnamed: chatId };
    const submission = await submissionIn(this.sessions, caller, chatId, naming);
    const { principal, requester, traceparent, webhook, carried } = submission;
    const data = await this.data.of(request, sdk);
    const agentType = this.agentOf(params['agentId'] ?? request.agentId, caller);
    return { request, principal, requester, traceparent, webhook, ...(carried && { carried }), data, agentType };
  }

  /** The user that a request for a chat acts for. */
  ownerOf(caller: Caller, chatId: string): Promise<Principal> {
    return sessionOwner(this.sessions, caller, chatId, { named: caller.headerUser(), unnamed: chatId });
  }

  /** The message that the chat has under an id. */
  known({ principal, request }: PlacedChat, id: string): Promise<SessionMessage | undefined> {
    return this.sessions.message(principal, request.chatId, id);
  }

  /** True for a chat that the server does not have, and whose request brings more than its last message. */
  async isImport({ principal, request: { chatId, earlier } }: PlacedChat): Promise<boolean> {
    return earlier.length > 0 && (await this.sessions.view(principal, chatId)) === undefined;
  }

  /** The earlier messages of a chat that the server does not know yet. */
  history({ earlier, last }: ChatRequest): ImportedMessages {
    return importedMessages(earlier, this.limits.maxBytes, [last.id]);
  }

  /** The run that a request asks for. */
  runOf(
    { request, principal, requester, traceparent, webhook, carried, data, agentType }: PlacedChat,
    { input, runKey, imported }: RunInput,
  ): RunRequest {
    const { chatId, last, tools, system, clientTime, locale, state, answers } = request;
    const addressPaths = new Map(imported);
    if (last.role === 'user') addressPaths.set(last.id, last.addresses);
    return {
      wire: WIRE,
      principal,
      reach: userReach(principal),
      requester,
      sessionId: chatId,
      agentType,
      input,
      messagesField: 'messages',
      addressPaths,
      runKey,
      clientTools: tools,
      modelOptions: {},
      forwardedProps: {},
      onBusy: this.data.onBusy,
      wireData: toWireData(data),
      ...(answers.length > 0 && { answers }),
      ...(system !== undefined && { systemPrompt: system }),
      ...(clientTime && { clientTime }),
      ...(locale !== undefined && { locale }),
      ...(state && { state }),
      ...(traceparent !== undefined && { traceparent }),
      ...(webhook !== undefined && { webhook }),
      ...(carried && { carried }),
    };
  }

  /** The message of a request with the uploads of its owner in place of their ids. @throws AppError ATTACHMENT_NOT_FOUND */
  async resolved({ principal }: Pick<PlacedChat, 'principal'>, { message, uploads }: UserSaying): Promise<Message> {
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
