import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Caller, Needs } from '../../access/index.js';
import { AppError } from '../../common/index.js';
import { NoBody, DtoPipe, SseGet, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { Decode, Decoded, WireController } from '../wire/index.js';
import { AiSdkService } from './ai-sdk.service.js';
import { AiSdkWire } from './ai-sdk.wire.js';
import { ChatRequests, type PlacedChat } from './chat-requests.js';
import { checkedChatId, RESERVED_ID } from './chat-request.decoder.js';
import { ApiAgentId, ApiChat, ApiChatMessages, ApiChatStop, ApiChatStream, TAG } from './api-docs.js';
import type { ChatMessages } from './chat-messages.service.js';
import { ChatMessagesQueryDto, ChatQueryDto, LevelQueryDto, MisplacedQueryDto } from './dto/ai-sdk-queries.dto.js';

/** The frames of a stream, in batches that are written at once. */
type Frames = Observable<readonly string[]>;

/** The path of a stream behind the level, as `ChatRoutes.misplacedStream` gets it. */
const MISPLACED = /^([567])\/(.+)\/stream$/s;

/** The last segments of the addresses of a chat that are read. */
const OF_CHAT: ReadonlySet<string> = new Set(['stream', 'messages']);

/** The routes of chats (contract ui-message-stream, section A1): the same for the default agent and for any other. */
export abstract class ChatRoutes {
  constructor(protected readonly service: AiSdkService) {}

  @SsePost('')
  @Decode(ChatRequests, (requests, request) => requests.placed(request))
  @Needs('runs:write')
  @ApiChat()
  chat(
    @Decoded() placed: PlacedChat,
    @Query(DtoPipe) query: ChatQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Frames> {
    return this.service.chat(placed, query, client);
  }

  /** Where the address of a transport ends with `?sdk=6`, the client adds the path of the stream to the query. */
  @SseGet('')
  @Needs('runs:read')
  @ApiChatStream('The stream of a chat whose address ends with a query')
  misplacedStream(
    @Query(DtoPipe) { sdk = '' }: MisplacedQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Frames | undefined> {
    const [, level, chatId] = MISPLACED.exec(sdk) ?? [];
    const { agentId = '' } = client.request.params as { readonly agentId?: string };
    // The stream or the messages of a chat with the reserved id.
    if (OF_CHAT.has(agentId)) checkedChatId(RESERVED_ID);
    if (level === undefined || chatId === undefined) throw new AppError('RESOURCE_NOT_FOUND');
    return this.service.stream(chatId, level as LevelQueryDto['sdk'], caller, client);
  }

  @SseGet(':chatId/stream')
  @Needs('runs:read')
  @ApiChatStream('Resume the answer of a chat')
  stream(
    @Param('chatId') chatId: string,
    @Query(DtoPipe) { sdk }: LevelQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Frames | undefined> {
    return this.service.stream(chatId, sdk, caller, client);
  }

  @Post(':chatId/stop')
  @Needs('runs:write')
  @HttpCode(200)
  @NoBody()
  @ApiChatStop()
  stop(@Param('chatId') chatId: string, @Body() body: unknown, @Caller() caller: Caller): Promise<{ success: true }> {
    return this.service.stop(chatId, body, caller);
  }

  @Get(':chatId/messages')
  @Needs('runs:read')
  @ApiChatMessages()
  messages(
    @Param('chatId') chatId: string,
    @Query(DtoPipe) query: ChatMessagesQueryDto,
    @Caller() caller: Caller,
  ): Promise<ChatMessages> {
    return this.service.messages(chatId, query, caller);
  }
}

/** Chats with the default agent, or with one that the request names. */
@ApiTags(TAG)
@WireController(AiSdkWire, 'ai-sdk')
export class AiSdkController extends ChatRoutes {
  constructor(service: AiSdkService) {
    super(service);
  }
}

/** Chats with an agent that the path names. */
@ApiTags(TAG)
@ApiAgentId()
@WireController(AiSdkWire, 'ai-sdk/agents/:agentId')
export class AiSdkAgentsController extends ChatRoutes {
  constructor(service: AiSdkService) {
    super(service);
  }
}
