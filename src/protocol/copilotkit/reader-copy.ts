import type { AgUiEvent, AgUiMessage } from '../ag-ui-events/index.js';

/**
 * What a reader has of a thread already, whole or as far as a broken stream had come. A client appends what
 * it is shown to a message that it has (contract ag-ui, section 2.3): to show it again would double it.
 */
export class ReaderCopy {
  private readonly ids: ReadonlySet<string>;

  constructor(private readonly messages: readonly AgUiMessage[]) {
    const callsOf = (message: AgUiMessage) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []);
    this.ids = new Set(messages.flatMap((message) => [message.id, ...callsOf(message).map(({ id }) => id)]));
  }

  /** True when the reader has none of these. */
  lacks(messages: readonly { readonly id: string }[]): boolean {
    return !messages.some(({ id }) => this.ids.has(id));
  }

  /** True for an event that says what the reader has. */
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
   * Puts right what the reader has: the messages as they are, and the others that it has, which it alone knows
   * or which are shown later.
   *
   * @param without what it has to forget: it is shown from the beginning
   */
  snapshot(shown: readonly AgUiMessage[], without: readonly { readonly id: string }[] = []): AgUiEvent {
    const known = new Set([...shown, ...without].map(({ id }) => id));
    const own = this.messages.filter(({ id }) => !known.has(id));
    return { type: 'MESSAGES_SNAPSHOT', messages: [...shown, ...own] };
  }
}
