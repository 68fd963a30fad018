import type { Json, JsonObject } from '../../common/index.js';
import { type Content, dataOf, isTerminalStatus, type Message } from '../../events/index.js';
import type { AgUiEvent } from './ag-ui.types.js';
import { owned } from './message-kinds.js';

/** A message of the log while a stream shows it. */
export interface OpenMessage {
  /** The events of its announcement. */
  open(): AgUiEvent[];
  /** The events of one content event. */
  content(event: Content): AgUiEvent[];
  /** The events of the closing one; undefined when the message is cut off. */
  close(closing: Message | undefined): AgUiEvent[];
  /** What was shown is no beginning of what the message says: only a snapshot can put that right. */
  readonly diverged: boolean;
}

/** The text of one message's slots as it was shown; pieces of a replaced text show no more. */
class ShownText {
  /** The whole text shown per content index. */
  private readonly slots = new Map<number, string>();
  /** The highest content index of which a piece was shown. */
  private last = 0;
  /** True once a replaced text does not begin with what was shown, or a piece belongs before what was shown. */
  diverged = false;

  /** The piece to show for a content event, '' for none. */
  take(event: Content): string {
    const text = event.type === 'text' ? event.text : event.type === 'refusal' ? event.refusal : null;
    if (text === null) return '';
    const index = event.index ?? 0;
    const shown = this.slots.get(index) ?? '';
    const isPiece = event.delta === true && !isTerminalStatus(event.status);
    this.slots.set(index, isPiece ? shown + text : text);
    if (!isPiece && !text.startsWith(shown)) this.diverged = true;
    const piece = isPiece ? text : text.slice(shown.length);
    if (piece !== '') {
      if (index < this.last) this.diverged = true;
      this.last = index;
    }
    return this.diverged ? '' : piece;
  }
}

/** An assistant's words. Contents that are no text go as CUSTOM events, which every client passes on. */
export class OpenText implements OpenMessage {
  private readonly shown = new ShownText();

  constructor(private readonly id: string) {}

  /** True when the text that was shown cannot be completed to the message's text. */
  get diverged(): boolean {
    return this.shown.diverged;
  }

  /** TEXT_MESSAGE_START. */
  open(): AgUiEvent[] {
    return [{ type: 'TEXT_MESSAGE_START', messageId: this.id, role: 'assistant' }];
  }

  /** The missing piece of a text or refusal; another content becomes a CUSTOM event once it is complete. */
  content(event: Content): AgUiEvent[] {
    if (event.type !== 'text' && event.type !== 'refusal') {
      return isTerminalStatus(event.status) ? [contentEvent(this.id, event)] : [];
    }
    const delta = this.shown.take(event);
    return delta === '' ? [] : [{ type: 'TEXT_MESSAGE_CONTENT', messageId: this.id, delta }];
  }

  /** TEXT_MESSAGE_END. */
  close(): AgUiEvent[] {
    return [{ type: 'TEXT_MESSAGE_END', messageId: this.id }];
  }
}

/** A content that AG-UI has no event for: its type, message and value. */
function contentEvent(messageId: string, content: Content): AgUiEvent {
  const { type, object, status, error, index, delta, msg_id, ...fields } = content;
  void [object, status, error, index, delta, msg_id];
  const value = { messageId, type, ...withoutNulls(fields) };
  return { type: 'CUSTOM', name: 'message.content', value };
}

/** The content types have fields that are null when unused; AG-UI events have none. */
function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** What the model thought: a span of one message, which share an id. */
export class OpenReasoning implements OpenMessage {
  private readonly shown = new ShownText();

  constructor(private readonly id: string) {}

  /** True when the reasoning that was shown cannot be completed to the message's text. */
  get diverged(): boolean {
    return this.shown.diverged;
  }

  /** REASONING_START and the start of its one message. */
  open(): AgUiEvent[] {
    const messageId = this.id;
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
    ];
  }

  /** The missing piece of the reasoning. */
  content(event: Content): AgUiEvent[] {
    const delta = this.shown.take(event);
    return delta === '' ? [] : [{ type: 'REASONING_MESSAGE_CONTENT', messageId: this.id, delta }];
  }

  /** The end of the message and of the span; between them the encrypted value, if the provider gave one. */
  close(closing: Message | undefined): AgUiEvent[] {
    const messageId = this.id;
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      ...encrypted('message', messageId, closing),
      { type: 'REASONING_END', messageId },
    ];
  }
}

/** A message of a kind that AG-UI has no events for: shown as a CUSTOM event of its kind's name when it is whole. */
export class OpenCustom implements OpenMessage {
  readonly diverged = false;

  open(): AgUiEvent[] {
    return [];
  }

  content(): AgUiEvent[] {
    return [];
  }

  /** One CUSTOM event with the message's data; nothing when the message is cut off or has no data. */
  close(closing: Message | undefined): AgUiEvent[] {
    const data = closing && dataOf(closing);
    if (!closing || !data) return [];
    const value: Json = { messageId: closing.id, ...data };
    return [{ type: 'CUSTOM', name: closing.type, value }];
  }
}

/** A message that other events tell: approval requests are in the outcome, errors in RUN_ERROR. */
export class OpenSilent implements OpenMessage {
  readonly diverged = false;

  open(): AgUiEvent[] {
    return [];
  }

  content(): AgUiEvent[] {
    return [];
  }

  close(): AgUiEvent[] {
    return [];
  }
}

/** What a provider sealed, to be sent back with the message (contract ag-ui, section 1.3). */
export function encrypted(
  subtype: 'message' | 'tool-call',
  entityId: string,
  closing: Message | undefined,
): AgUiEvent[] {
  const value = closing?.metadata?.['encrypted_value'];
  if (typeof value !== 'string') return [];
  return [{ type: 'REASONING_ENCRYPTED_VALUE', subtype, entityId, encryptedValue: value }];
}

/** A message of a subagent while a stream shows it. */
export class OwnedMessage implements OpenMessage {
  constructor(
    private readonly message: OpenMessage,
    private readonly owner: string,
  ) {}

  /** As the message that it wraps. */
  get diverged(): boolean {
    return this.message.diverged;
  }

  /** The announcement, with `subagentRunId`. */
  open(): AgUiEvent[] {
    return owned(this.message.open(), this.owner);
  }

  /** The events of a content, with `subagentRunId`. */
  content(event: Content): AgUiEvent[] {
    return owned(this.message.content(event), this.owner);
  }

  /** The closing events, with `subagentRunId`. */
  close(closing: Message | undefined): AgUiEvent[] {
    return owned(this.message.close(closing), this.owner);
  }
}
