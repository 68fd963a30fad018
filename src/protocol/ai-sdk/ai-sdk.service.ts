import { Injectable } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import type { Caller } from '../../access/index.js';
import { userReach } from '../../common/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { DONE_FRAME, fieldReaderAt, headerText, type StreamClient } from '../http/index.js';
import { type OnDisconnect, RunStreams } from '../wire/index.js';
import { levelOf } from './ai-sdk-data.js';
import { frameOf } from './ai-sdk.encoder.js';
import { AiSdkWire, type TurnOptions } from './ai-sdk.wire.js';
import { type ChatMessages, ChatMessagesService } from './chat-messages.service.js';
import { checkedChatId } from './chat-request.decoder.js';
import type { ChatLevel, PlacedChat } from './chat-requests.js';
import { ChatSubmission } from './chat-submission.js';
import type { SubmittedChat } from './submitted-chat.js';

/** The frames of a stream, in batches that are written at once. */
type Frames = Observable<readonly string[]>;

/** Messages of a page, if the query does not say how many. */
const MESSAGES = 200;
/** By which proxies and other clients know the stream. */
const STREAM_VERSION = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** The routes of chats, over durable runs (contract ui-message-stream, section A1). */
@Injectable()
export class AiSdkService {
  constructor(
    private readonly wire: AiSdkWire,
    private readonly streams: RunStreams,
    private readonly runs: Runs,
    private readonly submission: ChatSubmission,
    private readonly chats: ChatMessagesService,
  ) {}

  /** @throws AppError as `ChatSubmission.submit` */
  async chat(
    placed: PlacedChat,
    query: { readonly sdk?: ChatLevel; readonly on_disconnect?: OnDisconnect },
    client: StreamClient,
  ): Promise<Frames> {
    const submitted = await this.submission.submit(placed);
    const { wire } = this;
    if (submitted.kind === 'run') {
      const { run } = submitted;
      announce(client, run);
      return this.streams.follow(run, client, { wire, onDisconnect: query.on_disconnect }).events();
    }
    if (submitted.kind === 'waiting') return waiting(submitted, client);
    const { turn, from, messageId } = submitted;
    return this.turn(turn, from, { level: query.sdk && levelOf(query.sdk), messageId }, client);
  }

  /** The active turn, from its start; undefined if there is none. */
  async stream(chatId: string, sdk: ChatLevel, caller: Caller, client: StreamClient): Promise<Frames | undefined> {
    const principal = await this.submission.ownerOf(caller, checkedChatId(chatId));
    const turn = await this.chats.active(principal, chatId);
    const first = turn?.[0];
    if (turn && first) return this.turn(turn, first, { level: sdk && levelOf(sdk) }, client);
    client.reply.status(204);
    return undefined;
  }

  /** Cancels the runs of a chat that have not ended, or one of them. What waits for an answer goes on waiting. */
  async stop(chatId: string, body: unknown, caller: Caller): Promise<{ readonly success: true }> {
    const fields = fieldReaderAt(body ?? {}, 'body');
    const runId = fields.string('runId', { min: 1, max: 256 });
    const principal = await this.submission.ownerOf(caller, checkedChatId(chatId));
    const active = await this.runs.list(principal, chatId, { limit: 100, states: ['queued', 'running'] });
    for (const run of active) {
      if (runId === undefined || run.runId === runId)
        await this.runs.cancel(userReach(run), run.runId, { by: caller.origin() });
    }
    return { success: true };
  }

  /** The messages of a chat, without the answer that its stream brings. */
  async messages(
    chatId: string,
    { limit, before, sdk }: { readonly limit?: string; readonly before?: string; readonly sdk?: ChatLevel },
    caller: Caller,
  ): Promise<ChatMessages> {
    const principal = await this.submission.ownerOf(caller, checkedChatId(chatId));
    return this.chats.messages(principal, chatId, {
      limit: Number(limit ?? MESSAGES),
      before,
      level: sdk && levelOf(sdk),
    });
  }

  /** A turn from one of its runs on: what has happened, then what happens. */
  private turn(turn: readonly RunView[], from: RunView, options: TurnOptions, client: StreamClient): Frames {
    const { wire } = this;
    const run = turn.at(-1) ?? from;
    const encoder = wire.turnEncoder(turn, from, options);
    announce(client, run);
    const expired = (): Promise<readonly string[]> => wire.retained(run, encoder);
    return this.streams.follow(run, client, { wire, encoder, expired, onDisconnect: 'continue' }).events();
  }
}

/** The client has answered some of what the turn waits for: it waits for the rest. */
function waiting(
  { turn, messageId, level }: Extract<SubmittedChat, { readonly kind: 'waiting' }>,
  client: StreamClient,
): Frames {
  const last = turn.at(-1);
  if (last) announce(client, last);
  const finish = frameOf({ type: 'finish', ...(level > 5 && { finishReason: 'tool-calls' as const }) });
  return of([frameOf({ type: 'start', messageId }), finish, DONE_FRAME]);
}

function announce({ reply }: StreamClient, run: RunView): void {
  reply.headers({ ...STREAM_VERSION, 'x-run-id': headerText(run.runId), 'x-session-id': headerText(run.sessionId) });
}
