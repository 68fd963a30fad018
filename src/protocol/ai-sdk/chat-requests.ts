import { Injectable } from '@nestjs/common';
import { type Caller, traceOf } from '../../access/index.js';
import { AgentRegistry } from '../../agent/index.js';
import { AttachmentService, AttachmentSettings } from '../../attachment/index.js';
import { AppError, type Principal, userReach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import type { RunRequest } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import { fieldError } from '../http/index.js';
import { sessionOwner } from '../wire/index.js';
import { type AiSdkData, dataOfSettings, levelOf, toWireData, WIRE } from './ai-sdk-data.js';
import { AiSdkSettings } from './ai-sdk.settings.js';
import { type ChatRequest, decodeChatRequest, type LastMessage } from './chat-request.decoder.js';
import { importedMessages } from './imported-messages.js';

/** What a request says beside its body. */
export interface ChatQuery {
  /** The agent that the path names. */
  readonly agentId?: string | undefined;
  readonly sdk?: '5' | '6' | '7' | undefined;
}

/** A request whose owner is known, and how its runs are begun. */
export interface PlacedChat {
  readonly request: ChatRequest;
  readonly caller: Caller;
  readonly principal: Principal;
  readonly data: AiSdkData;
  readonly agentType: string;
}

/** A message of the user that is the last of a request. */
export type UserSaying = Extract<LastMessage, { readonly role: 'user' }>;

/** Decodes requests and makes run requests of them (contract ui-message-stream, section A2). */
@Injectable()
export class ChatRequests {
  constructor(
    private readonly sessions: Sessions,
    private readonly agents: AgentRegistry,
    private readonly attachments: AttachmentService,
    private readonly limits: AttachmentSettings,
    private readonly settings: AiSdkSettings,
  ) {}

  /** @throws AppError naming the first invalid field; AGENT_NOT_FOUND; PERMISSION_DENIED for another user */
  async placed(body: unknown, { agentId, sdk }: ChatQuery, caller: Caller): Promise<PlacedChat> {
    const request = decodeChatRequest(body, this.limits.maxBytes);
    const principal = await this.ownerOf(caller, request.chatId);
    const level = sdk === undefined ? undefined : levelOf(sdk);
    const { metadata } = request;
    const data = { ...dataOfSettings(this.settings, level), ...(metadata && { metadata }) };
    return { request, caller, principal, data, agentType: this.agentOf(agentId ?? request.agentId, caller) };
  }

  /** The user that a request for a chat acts for. */
  ownerOf(caller: Caller, chatId: string): Promise<Principal> {
    return sessionOwner(this.sessions, caller, chatId, { named: caller.headerUser(), unnamed: chatId });
  }

  /** The earlier messages of a chat that the server does not know yet. */
  history({ earlier, last }: ChatRequest): readonly Message[] {
    return importedMessages(earlier, this.limits.maxBytes, [last.id]);
  }

  /** The run that a request asks for. @param options.runKey the same one makes the same run */
  runOf(
    { request, caller, principal, data, agentType }: PlacedChat,
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
