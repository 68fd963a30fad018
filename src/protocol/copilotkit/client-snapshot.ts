import type { AgUiEvent, AgUiMessage } from '../ag-ui-events/index.js';

/**
 * The messages of a thread that a client has, complete or up to where a stream broke. A client appends the text
 * of events to a message that it has (contract ag-ui, section 2.3): to send it again would double it.
 */
export class ClientSnapshot {
  private readonly ids: ReadonlySet<string>;

  constructor(private readonly messages: readonly AgUiMessage[]) {
    const callsOf = (message: AgUiMessage) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []);
    this.ids = new Set(messages.flatMap((message) => [message.id, ...callsOf(message).map(({ id }) => id)]));
  }

  /** True when the client has none of these. */
  lacks(messages: readonly { readonly id: string }[]): boolean {
    return !messages.some(({ id }) => this.ids.has(id));
  }

  /** True for an event of a message or call that the client has. */
  has(event: AgUiEvent): boolean {
    switch (event.type) {
      case 'TEXT_MESSAGE_START':
      case 'TEXT_MESSAGE_CONTENT':
      case 'TEXT_MESSAGE_END':
      case 'REASONING_START':
      case 'REASONING_MESSAGE_START':
      case 'REASONING_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_END':
      case 'REASONING_END':
      case 'TOOL_CALL_RESULT':
        return this.ids.has(event.messageId);
      case 'TOOL_CALL_START':
      case 'TOOL_CALL_ARGS':
      case 'TOOL_CALL_END':
        return this.ids.has(event.toolCallId);
      default:
        return false;
    }
  }

  /**
   * The snapshot that corrects the client's copy: the given messages, and those that only the client has.
   *
   * @param without messages that the client discards, because they are streamed from their start
   */
  corrected(shown: readonly AgUiMessage[], without: readonly { readonly id: string }[] = []): AgUiEvent {
    const known = new Set([...shown, ...without].map(({ id }) => id));
    const own = this.messages.filter(({ id }) => !known.has(id));
    return { type: 'MESSAGES_SNAPSHOT', messages: [...shown, ...own] };
  }
}
