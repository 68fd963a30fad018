import { assertUnreachable } from '../../common/index.js';
import {
  type AgentResponse,
  type Content,
  ContentValue,
  fieldsOf,
  isTerminalStatus,
  type LoggedEvent,
  makeContent,
  serializeEvent,
  type TextPieceHead,
} from '../../events/index.js';
import { DONE_FRAME } from '../http/sse/frames.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { withOpenCallsLast } from './terminal-output.js';

/** How the encoder writes. */
export interface AgentApiEncoderOptions {
  /** Whether `data: [DONE]` follows the terminal event. */
  readonly doneFrame: boolean;
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
/** A frame that the client already has. */
const DISCARDED: readonly string[] = [''];
/** What a piece's JSON has around its value. */
const PIECE_OVERHEAD = 150;

/**
 * The Agent API's view of a run (contract agent-api, sections 0, a.3, a.4). Responses, messages and
 * contents are shown, everything else is left out. The first event of a content slot has
 * `delta: true`, the closing one `delta: false` with the whole value; text in between goes as pieces,
 * data as whole values so far. Where the chat UI would open a new slot by mistake (pieces after a
 * replaced text), whole values with `delta: false` are sent instead.
 */
export class AgentApiEncoder implements FrameEncoder {
  /** A documented client takes each chunk for one event (contract agent-api, section 0, rule 2). */
  readonly joinable = false;
  /** Its options are the same for all readers. */
  readonly variant = 'agent-api';
  /** The open content slots by message id and index. */
  private readonly messages = new Map<string, Map<number, Slot>>();
  /** The sequence number of the next frame; it counts from 0. */
  private count = 0;
  /** How many frames the client already has; they are encoded as ''. */
  private discarded = 0;
  /** Whether the terminal event was written: `[DONE]` follows only then. */
  private ended = false;
  /** What the pieces of the open text begin with: an event that continues it is another piece. */
  private pieceHead: TextPieceHead | undefined;
  /** What stands in the frame of a piece between its number and its text. */
  private pieceMiddle = '';

  constructor(private readonly options: AgentApiEncoderOptions) {}

  /** Skips the frames that the client already has: `next` then yields '' in their place. */
  discardFirst(frames: number): void {
    this.discarded = frames;
  }

  /** The frames of one event of the log; none for kinds that the protocol does not have. */
  next(logged: LoggedEvent): readonly string[] {
    const { json, kind } = logged;
    const characters = this.pieceHead && logged.charactersAfter(this.pieceHead);
    if (characters !== undefined) return this.piece(characters);
    switch (kind) {
      case 'content':
        return this.whole(logged) ?? this.content(logged, logged.event as Content);
      case 'message':
        return this.message(logged);
      case 'response':
        return logged.isTerminal ? this.terminal(logged) : this.frame(json);
      case 'state':
      case 'step':
      case 'activity':
      case 'custom':
      case 'raw':
      case 'subagent':
      case 'interrupt':
        return [];
      default:
        return assertUnreachable(kind);
    }
  }

  /** `data: [DONE]` after the terminal event, where the settings ask for it. */
  end(): readonly string[] {
    return this.ended && this.options.doneFrame ? [DONE_FRAME] : [];
  }

  /** The final response, with its open client calls at the end of the output. */
  private terminal({ json, event }: LoggedEvent): readonly string[] {
    this.ended = true;
    const response = event as AgentResponse;
    const ordered = withOpenCallsLast(response);
    return this.frame(ordered === response ? json : serializeEvent(ordered));
  }

  /** Inserts the number into the JSON text, so that the event is not parsed and serialised again. */
  private frame(json: string): readonly string[] {
    const number = this.count;
    this.count += 1;
    if (number < this.discarded) return DISCARDED;
    return [`data: {"sequence_number":${number},${json.slice(1)}\n\n`];
  }

  /** As `frame`, for a piece of the open text: made of few parts, because most frames are such. */
  private piece(characters: string): readonly string[] {
    const number = this.count;
    this.count += 1;
    if (number < this.discarded) return DISCARDED;
    return [`data: {"sequence_number":${number}${this.pieceMiddle}${characters}"}\n\n`];
  }

  /** From now on events that continue this one are pieces. */
  private beginPieces(head: TextPieceHead | undefined): void {
    this.pieceHead = head;
    // Joined, so that it is one text in memory: parts would be put together again with every piece.
    this.pieceMiddle = [',', head?.json.slice(1)].join('');
  }

  /** The closing event of an open slot, which passes unchanged and unparsed if its beginning identifies the slot. */
  private whole({ json, closedContent }: LoggedEvent): readonly string[] | undefined {
    if (!closedContent || !this.messages.get(closedContent.messageId)?.has(closedContent.index)) return undefined;
    this.pieceHead = undefined;
    return this.frame(json);
  }

  /** A message that closes releases its slots. */
  private message({ json, closedMessageId }: LoggedEvent): readonly string[] {
    if (closedMessageId !== undefined) {
      this.messages.delete(closedMessageId);
      this.pieceHead = undefined;
    }
    return this.frame(json);
  }

  /** The first event of a slot opens it with `delta: true`, whatever the log says. */
  private content(logged: LoggedEvent, event: Content): readonly string[] {
    const { json } = logged;
    const slots = this.slotsOf(event.msg_id ?? '');
    const index = event.index ?? 0;
    const slot = slots.get(index);
    if (isTerminalStatus(event.status)) return this.close(event, json, slot === undefined);
    if (!slot) {
      slots.set(index, this.open(event, logged));
      return this.frame(event.delta === true ? json : serializeEvent({ ...event, delta: true }));
    }
    if (!isText(event)) return this.snapshot(event, json, slot, true);
    if (event.delta !== true) {
      slot.value = valueOf(event);
      slot.shownLength = json.length;
      this.pieceHead = undefined;
      return this.frame(json);
    }
    if (slot.value) return this.snapshot(event, json, slot, false);
    this.beginPieces(logged.textPieceHead);
    return this.frame(json);
  }

  /** Keeps the value only where pieces cannot be sent as they are. */
  private open(event: Content, logged: LoggedEvent): Slot {
    const value = isText(event) ? undefined : valueOf(event);
    if (!value && event.delta === true) this.beginPieces(logged.textPieceHead);
    return { value, shownLength: logged.json.length, hiddenLength: 0 };
  }

  /** The whole value with `delta: false`; a slot that opens and closes at once gets both events. */
  private close(event: Content, json: string, isFirst: boolean): readonly string[] {
    this.pieceHead = undefined;
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

  /** The slots of a message, made on first use. */
  private slotsOf(messageId: string): Map<number, Slot> {
    let slots = this.messages.get(messageId);
    if (!slots) {
      slots = new Map();
      this.messages.set(messageId, slots);
    }
    return slots;
  }
}

/** The kinds whose pieces a reader appends. */
function isText(event: Content): boolean {
  return event.type === 'text' || event.type === 'refusal';
}

/** A value with the fields of one event. */
function valueOf(event: Content): ContentValue {
  const value = new ContentValue(event.type);
  value.replace(fieldsOf(event));
  return value;
}
