import { jsonCharacters } from '../common/index.js';
import type { AgentEvent } from './agent-event.js';
import { isTerminalStatus, type RunStatus, TERMINAL_STATUSES, type TextContent } from './agent-objects.js';

/** The `object` of an event. */
export type EventKind = AgentEvent['object'];

/** The `status` of an event; null for kinds that have none. */
export type EventStatus = RunStatus | 'started' | 'finished' | null;

/** A content slot: the message and the index of the content in it. */
export interface ContentSlot {
  readonly messageId: string;
  readonly index: number;
}

/** What all deltas of one text have in common. */
export interface TextPieceHead {
  /** Their JSON up to the characters of the text. */
  readonly json: string;
  readonly messageId: string | null;
  readonly index: number | null;
  readonly delta: boolean | null;
}

/** The start of every canonical JSON text, and what follows the kind if the event has a status. */
const HEAD = '{"object":"';
const STATUS = '","status":"';

const ENDS = TERMINAL_STATUSES.join('|');
/** A closed message up to its id, if no character of the id is escaped. */
const CLOSED_MESSAGE = new RegExp(`^{"object":"message","status":"(?:${ENDS})","error":null,"id":"([^"\\\\]+)"`);
/** A closed content up to the id of its message. */
const CLOSED_CONTENT = new RegExp(
  `^{"object":"content","status":"(?:${ENDS})","error":null,"type":"[a-z]+","index":(\\d+),"delta":false,"msg_id":"([^"\\\\]+)"`,
);
/** The end of the head of a text delta, and the end of its JSON: the text is the last member. */
const TEXT = ',"text":"';
const TEXT_END = '"}';

/**
 * One committed event of a run: its number, its canonical JSON, and the values at the start of that JSON. The
 * JSON can be very long, so it is parsed only when `event` is first read.
 */
export class LoggedEvent {
  readonly kind: EventKind;
  readonly status: EventStatus;
  private parsed: AgentEvent | undefined;

  constructor(
    /** From 0, gap-free within the run. */
    readonly seq: number,
    /** The canonical JSON text, see `serializeEvent`. */
    readonly json: string,
    /** The event, if the caller has it; otherwise it is parsed from the JSON. */
    event?: AgentEvent,
    /** When it was committed, in milliseconds since the epoch. Equal at every reading; 0 if unknown. */
    readonly at: number = 0,
  ) {
    this.parsed = event;
    this.kind = event ? event.object : kindOf(json);
    this.status = event ? (statusOfEvent(event) ?? null) : statusOf(json, this.kind);
  }

  /** True for the last event of its run. */
  get isTerminal(): boolean {
    return this.kind === 'response' && isTerminalStatus(this.status);
  }

  get event(): AgentEvent {
    return (this.parsed ??= JSON.parse(this.json) as AgentEvent);
  }

  /** The id of the message that this event closes; undefined for other events. */
  get closedMessageId(): string | undefined {
    if (this.kind !== 'message' || !isTerminalStatus(this.status)) return undefined;
    const id = this.parsed ? undefined : CLOSED_MESSAGE.exec(this.json)?.[1];
    if (id !== undefined) return id;
    return this.event.object === 'message' ? this.event.id : undefined;
  }

  /** The slot that this event closes with its whole value and without an error; undefined for other events. */
  get closedContent(): ContentSlot | undefined {
    if (this.kind !== 'content' || !isTerminalStatus(this.status)) return undefined;
    if (this.parsed) return closedSlot(this.parsed);
    const [, index, messageId] = CLOSED_CONTENT.exec(this.json) ?? [];
    return index === undefined || messageId === undefined
      ? closedSlot(this.event)
      : { messageId, index: Number(index) };
  }

  /** What other deltas of the same text begin with; undefined if this is no text delta. */
  get textPieceHead(): TextPieceHead | undefined {
    if (this.kind !== 'content' || this.status !== 'in_progress') return undefined;
    // Before the text only the message id can contain arbitrary text, and its quotes are escaped: the first match is
    // the member.
    const end = this.json.indexOf(TEXT);
    const { event } = this;
    if (end < 0 || event.object !== 'content' || event.type !== 'text') return undefined;
    const { msg_id: messageId, index, delta } = event;
    return { json: this.json.slice(0, end + TEXT.length), messageId, index, delta };
  }

  /** The characters of the text as JSON if this is another delta of the same text; undefined for all other events. */
  charactersAfter(head: TextPieceHead): string | undefined {
    const { parsed, json } = this;
    if (parsed) return piecesMatch(parsed, head) ? jsonCharacters(parsed.text) : undefined;
    // (`startsWith` is many times slower with a long prefix.)
    const { length } = head.json;
    return json.slice(0, length) === head.json ? json.slice(length, -TEXT_END.length) : undefined;
  }
}

/** Whether the JSON of an event begins with a head, which is not looked at: most pieces are written nowhere else. */
function piecesMatch(event: AgentEvent, head: TextPieceHead): event is TextContent & { readonly text: string } {
  if (event.object !== 'content' || event.type !== 'text' || event.status !== 'in_progress') return false;
  if (event.error || typeof event.text !== 'string') return false;
  return event.msg_id === head.messageId && event.index === head.index && event.delta === head.delta;
}

function kindOf(json: string): EventKind {
  return json.slice(HEAD.length, json.indexOf('"', HEAD.length)) as EventKind;
}

function statusOf(json: string, kind: EventKind): EventStatus {
  const at = HEAD.length + kind.length;
  if (!json.startsWith(STATUS, at)) return null;
  const from = at + STATUS.length;
  return json.slice(from, json.indexOf('"', from)) as EventStatus;
}

function statusOfEvent(event: AgentEvent): EventStatus | undefined {
  return 'status' in event ? event.status : null;
}

function closedSlot(event: AgentEvent): ContentSlot | undefined {
  if (event.object !== 'content' || event.error || event.delta !== false) return undefined;
  const { msg_id: messageId, index } = event;
  return messageId === null || index === null ? undefined : { messageId, index };
}
