import { Injectable } from '@nestjs/common';
import { type AbortLike, AppError } from '../../../common/index.js';
import { type Message, sinceSummary } from '../../../events/index.js';
import type { RunView } from '../../../run/index.js';
import { type Caller } from '../../../access/index.js';
import { type FrameEncoder, type RunStream, RunStreams } from '../../wire/index.js';
import { ConversationHistory } from '../conversation-history.js';
import { preparedEvents, ResponsesFold } from '../encoder/responses-fold.js';
import { type Remembered, ResponseContext } from '../response-context.js';
import { responseInfo } from '../response-info.js';
import { ResponseSubmission, type SubmittedResponse } from '../response-submission.js';
import { ResponsesWire } from '../responses.wire.js';
import type { ConversationMemory } from './conversation-memory.js';
import type { SocketRequest } from './socket-message.js';

/** Sends one message. Resolves when the socket has taken it. */
export type Send = (json: string) => Promise<void>;

/** What is known of a message besides its fields. */
export interface MessageContext {
  /** Aborts when the client disconnects, which cancels the response. */
  readonly gone: AbortLike;
  /** The `traceparent` under which the response is traced; undefined if it is not. */
  readonly traceparent: string | undefined;
  /** Called once the request has become a run: nothing of the message is needed any more. */
  readonly accepted: (responseId: string) => void;
}

/** Makes the responder of each connection. */
@Injectable()
export class SocketResponders {
  constructor(
    readonly submission: ResponseSubmission,
    readonly context: ResponseContext,
    readonly history: ConversationHistory,
    readonly streams: RunStreams,
    readonly wire: ResponsesWire,
  ) {}

  /** @param caller who opened the connection */
  create(caller: Caller, conversations: ConversationMemory): SocketResponder {
    return new SocketResponder(this, caller, conversations);
  }
}

/**
 * Generates the responses of one connection, one after the other, and remembers the conversations of those that
 * are not stored: only here can a request continue from them (contract responses, section B1).
 */
export class SocketResponder {
  private readonly remembered: Remembered = (id) => this.conversations.get(id);
  private stream: RunStream | undefined;
  private isReleased = false;

  constructor(
    private readonly services: SocketResponders,
    private readonly caller: Caller,
    private readonly conversations: ConversationMemory,
  ) {}

  /** From now on a run is not canceled when the connection closes: the server closes it. */
  release(): void {
    this.isReleased = true;
    this.stream?.release();
  }

  /** Forgets the conversations, once the connection is closed. */
  close(): void {
    this.conversations.close();
  }

  /**
   * Generates a response and sends its events.
   *
   * @throws AppError when there is no response; then the connection forgets the previous response of the request
   */
  async respond(request: SocketRequest, { gone, traceparent, accepted }: MessageContext, send: Send): Promise<void> {
    const { remembered, caller } = this;
    try {
      if (request['generate'] === false) return await this.prepare(request, send);
      const options = { remembered, traceparent };
      const response = await this.services.submission.submitBody(request, caller, options);
      accepted(response.run.runId);
      await this.generate(response, gone, send);
    } catch (error) {
      const previous = request['previous_response_id'];
      if (typeof previous === 'string') this.conversations.delete(previous);
      throw error;
    }
  }

  /** Sends a response without output, from which a later request continues with a shorter input. */
  private async prepare(request: SocketRequest, send: Send): Promise<void> {
    const { info, messages } = await this.services.context.prepare(request, this.caller, this.remembered);
    for (const event of preparedEvents(info)) await send(event);
    this.conversations.set(info.id, messages);
  }

  /** Sends the events of a response as they are written. */
  private async generate(response: SubmittedResponse, gone: AbortLike, send: Send): Promise<void> {
    const { run, store } = response;
    const { streams, wire } = this.services;
    const fold = new ResponsesFold(responseInfo(run));
    const encoder: FrameEncoder = {
      joinable: false,
      next: (event) => fold.next(event),
      end: () => [],
    };
    this.stream = streams.follow(run, { gone }, { wire, encoder, onDisconnect: 'cancel' });
    if (this.isReleased) this.stream.release();
    await this.stream.sendTo(send);
    this.stream = undefined;
    // The server ends its streams before its sockets, which say so themselves.
    if (!fold.ended && !gone.aborted && !this.isReleased) throw new AppError('SHUTTING_DOWN');
    if (!fold.ended || store) return;
    const messages = [...(await this.before(run)), ...response.input, ...(fold.ended.output ?? [])];
    this.conversations.set(run.runId, sinceSummary(messages));
  }

  /** The stored conversation that a response continues; what the connection remembers is part of its input. */
  private before(run: RunView): Promise<readonly Message[]> {
    return this.services.history.messages(run, run.sessionId, run.ordinal - 1);
  }
}
