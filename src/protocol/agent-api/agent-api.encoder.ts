import {
  type Content,
  ContentValue,
  fieldsOf,
  type LoggedEvent,
  makeContent,
  type Message,
  serializeEvent,
  TERMINAL_STATUSES,
} from '../../events/index.js';
import { DONE_FRAME } from '../http/frames.js';
import type { FrameEncoder } from '../http/encoder.js';

/** How the encoder writes. */
export interface AgentApiEncoderOptions {
  /** Whether `data: [DONE]` follows the terminal event. */
  readonly doneFrame: boolean;
  /** Frames up to this `sequence_number` are counted and not written; -1, the default, for none. */
  readonly startingAfter?: number;
}

/** What the stream has shown of one content slot. */
interface Slot {
  /** Kept when pieces cannot be sent as they are: the whole value so far. */
  value: ContentValue | undefined;
  /** Length of the last whole value that was shown. */
  shownLength: number;
  /** Length of the pieces that came since. */
  hiddenLength: number;
}

/** Whole values up to this length are shown at every piece. */
const SMALL_VALUE = 1024;
/** Longer ones when they have grown by this part, so that a long value costs no more than a few times its length. */
const GROWTH = 8;
/** What a piece's JSON has around its value. */
const PIECE_OVERHEAD = 150;

const CONTENT = '{"object":"content"';
const MESSAGE = '{"object":"message"';
const RESPONSE = '{"object":"response"';

const ENDS = TERMINAL_STATUSES.join('|');
/** What a closed message begins with, and its id where that can be read as it is. */
const CLOSING_MESSAGE = new RegExp(`^{"object":"message","status":"(?:${ENDS})"(?:,"error":null,"id":"([^"\\\\]+)")?`);
/** The whole value of a closed content: its index and its message. */
const CLOSING = new RegExp(
  `^{"object":"content","status":"(?:${ENDS})","error":null,"type":"[a-z]+","index":(\\d+),"delta":false,"msg_id":"([^"\\\\]+)"`,
);

/**
 * The Agent API's view of a run (contract agent-api, sections 0, a.3, a.4). Responses, messages and
 * contents are shown, everything else is left out. The first event of a content slot has
 * `delta: true`, the closing one `delta: false` with the whole value; text in between goes as pieces,
 * data as whole values so far. Where the chat UI would open a new slot by mistake (pieces after a
 * replaced text), whole values with `delta: false` are sent instead.
 */
export class AgentApiEncoder implements FrameEncoder {
  readonly joinable = false;
  private readonly messages = new Map<string, Map<number, Slot>>();
  private readonly startingAfter: number;
  private count = 0;
  private ended = false;
  /** The JSON of a text piece up to its text: an event that begins so is another piece of that slot. */
  private piecePrefix: string | undefined;

  constructor(private readonly options: AgentApiEncoderOptions) {
    this.startingAfter = options.startingAfter ?? -1;
  }

  /** The `sequence_number` of the last frame, counted whether or not it was written; -1 before the first. */
  get lastNumber(): number {
    return this.count - 1;
  }

  next(logged: LoggedEvent): readonly string[] {
    const { json } = logged;
    if (this.isPiece(json)) return this.frame(json);
    if (json.startsWith(CONTENT)) return this.whole(json) ?? this.content(logged.event as Content, json);
    if (json.startsWith(MESSAGE)) return this.message(logged, json);
    if (!json.startsWith(RESPONSE)) return [];
    this.ended ||= logged.isTerminal;
    return this.frame(json);
  }

  end(): readonly string[] {
    return this.ended && this.options.doneFrame ? [DONE_FRAME] : [];
  }

  /** Whether this is one more piece of the open text. (`startsWith` is many times slower with a long prefix.) */
  private isPiece(json: string): boolean {
    const prefix = this.piecePrefix;
    return prefix !== undefined && json.slice(0, prefix.length) === prefix;
  }

  private frame(json: string): readonly string[] {
    const number = this.count;
    this.count += 1;
    return number > this.startingAfter ? [`data: {"sequence_number":${number},${json.slice(1)}\n\n`] : [];
  }

  /** The closing event of an open slot passes as it is, however long, when its beginning tells all of it. */
  private whole(json: string): readonly string[] | undefined {
    const [, index, messageId = ''] = CLOSING.exec(json) ?? [];
    if (index === undefined || !this.messages.get(messageId)?.has(Number(index))) return undefined;
    this.piecePrefix = undefined;
    return this.frame(json);
  }

  private message(logged: LoggedEvent, json: string): readonly string[] {
    if (CLOSING_MESSAGE.test(json)) {
      this.messages.delete(idOf(logged));
      this.piecePrefix = undefined;
    }
    return this.frame(json);
  }

  private content(event: Content, json: string): readonly string[] {
    const slots = this.slotsOf(event.msg_id ?? '');
    const index = event.index ?? 0;
    const slot = slots.get(index);
    if (isTerminal(event.status)) return this.close(event, json, slot === undefined);
    if (!slot) {
      slots.set(index, this.open(event, json));
      return this.frame(event.delta === true ? json : serializeEvent({ ...event, delta: true }));
    }
    if (!isText(event)) return this.snapshot(event, json, slot, true);
    if (event.delta !== true) {
      slot.value = valueOf(event);
      slot.shownLength = json.length;
      this.piecePrefix = undefined;
      return this.frame(json);
    }
    if (slot.value) return this.snapshot(event, json, slot, false);
    this.piecePrefix = prefixOf(json);
    return this.frame(json);
  }

  private open(event: Content, json: string): Slot {
    const value = isText(event) ? undefined : valueOf(event);
    if (!value && event.delta === true) this.piecePrefix = prefixOf(json);
    return { value, shownLength: json.length, hiddenLength: 0 };
  }

  private close(event: Content, json: string, isFirst: boolean): readonly string[] {
    this.piecePrefix = undefined;
    const closing = event.delta === false ? json : serializeEvent({ ...event, delta: false });
    if (!isFirst) return this.frame(closing);
    const opening = serializeEvent({ ...event, status: 'in_progress', delta: true });
    return [...this.frame(opening), ...this.frame(closing)];
  }

  /** Adds to the whole value and shows it, unless it is long and has hardly grown. */
  private snapshot(event: Content, json: string, slot: Slot, delta: boolean): readonly string[] {
    slot.value ??= new ContentValue(event.type);
    if (event.delta === true) slot.value.append(fieldsOf(event));
    else slot.value.replace(fieldsOf(event));
    slot.hiddenLength += Math.max(1, json.length - PIECE_OVERHEAD);
    const isSmall = slot.shownLength <= SMALL_VALUE;
    if (event.delta === true && !isSmall && slot.hiddenLength * GROWTH < slot.shownLength) return [];
    const head = {
      type: event.type,
      index: event.index ?? 0,
      msgId: event.msg_id ?? '',
      status: 'in_progress' as const,
      delta,
    };
    const whole = serializeEvent(makeContent(head, slot.value.whole()));
    slot.shownLength = whole.length;
    slot.hiddenLength = 0;
    return this.frame(whole);
  }

  private slotsOf(messageId: string): Map<number, Slot> {
    let slots = this.messages.get(messageId);
    if (!slots) {
      slots = new Map();
      this.messages.set(messageId, slots);
    }
    return slots;
  }
}

/** The id of a closed message, without parsing its contents where that is possible. */
function idOf(logged: LoggedEvent): string {
  return CLOSING_MESSAGE.exec(logged.json)?.[1] ?? (logged.event as Message).id;
}

function isTerminal(status: Content['status']): boolean {
  return (TERMINAL_STATUSES as readonly unknown[]).includes(status);
}

/** The kinds whose pieces a reader appends. */
function isText(event: Content): boolean {
  return event.type === 'text' || event.type === 'refusal';
}

function valueOf(event: Content): ContentValue {
  const value = new ContentValue(event.type);
  value.replace(fieldsOf(event));
  return value;
}

/** Up to and including `"text":`, which comes last and is the first place where client text can stand after the id. */
function prefixOf(json: string): string | undefined {
  const end = json.indexOf(',"text":"');
  return end < 0 ? undefined : json.slice(0, end + 8);
}
