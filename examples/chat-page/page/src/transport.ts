import { DefaultChatTransport, type UIMessageChunk } from 'ai';
import { API, type ChatMessage, request } from './api.js';
import { PAGE_TOOLS } from './page-tools.js';

/** The chunks of which one ends every answer. */
const ENDS: readonly UIMessageChunk['type'][] = ['finish', 'abort', 'error'];

/** Sends the last message alone, because the server knows the others, and the tools of the page. */
export class AgentTransport extends DefaultChatTransport<ChatMessage> {
  private hasResumed = false;

  constructor() {
    super({
      api: API,
      fetch: request,
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
        body: { id, message: messages.at(-1), trigger, messageId, tools: PAGE_TOOLS },
      }),
    });
  }

  /** Whether an answer in progress was opened since the last call. */
  takeResumed(): boolean {
    const had = this.hasResumed;
    this.hasResumed = false;
    return had;
  }

  override async reconnectToStream(
    ...given: Parameters<DefaultChatTransport<ChatMessage>['reconnectToStream']>
  ): Promise<ReadableStream<UIMessageChunk> | null> {
    const stream = await super.reconnectToStream(...given);
    this.hasResumed ||= stream !== null;
    return stream;
  }

  /** An answer that stops without its end was cut off on the way, and is an error like a connection that breaks. */
  protected override processResponseStream(stream: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
    let hasEnded = false;
    const checked = new TransformStream<UIMessageChunk, UIMessageChunk>({
      transform(chunk, controller) {
        hasEnded ||= ENDS.includes(chunk.type);
        controller.enqueue(chunk);
      },
      flush(controller) {
        if (!hasEnded) controller.error(new TypeError('The answer was cut off (network error)'));
      },
    });
    return super.processResponseStream(stream).pipeThrough(checked);
  }
}
