import { jsonString } from '../../common/index.js';
import {
  discardedMessageIds,
  type LoggedEvent,
  type Message,
  OUTPUT_TYPES,
  RUN_RECOVERED,
  type TextPieceHead,
} from '../../events/index.js';
import { dataFrame, DONE_FRAME } from '../http/sse/frames.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import type { Chunk } from './chunk.types.js';
import { type AskedQuestion, type FoldedRun, type FoldOptions, TurnFold } from './turn-fold.js';
import type { LoggedRun } from './turns.js';

/** What precedes a run in its turn. */
export interface TurnBefore {
  /** The id of the answer. */
  readonly messageId: string;
  /** The earlier runs of the turn, oldest first. */
  readonly earlier: readonly LoggedRun[];
  /** As in `LoggedRun`, of the run itself. */
  readonly outputs: readonly Message[];
  /** Of the run itself: messages that are left out. */
  readonly discarded: ReadonlySet<string>;
  /** As in `LoggedRun`, of the run itself. */
  readonly decided: readonly AskedQuestion[];
  /** Given if the worker of the run may be lost: the messages that stay in any case. */
  readonly kept?: ReadonlySet<string> | undefined;
}

/** What an encoder writes. */
export interface AiSdkEncoderOptions extends FoldOptions {
  readonly run: FoldedRun;
  /** What precedes the run, or what reads it before the first event. */
  readonly before: TurnBefore | (() => Promise<TurnBefore>);
  /** The ordinal of the first run that is written. Absent: the run alone. */
  readonly from?: number | undefined;
  /**
   * The number of the last event that was logged when the reader came: what may still be discarded up to it is held back
   * until the run goes on. Absent: nothing is held back.
   */
  readonly logged?: number | undefined;
}

/** A frame that the client already has. */
const DISCARDED: readonly string[] = [''];
const NONE: readonly string[] = [];
/** What ends a stream. */
const ENDS: ReadonlySet<Chunk['type']> = new Set<Chunk['type']>(['finish', 'error', 'abort']);

/** A run, or its whole turn, as frames of the UI message stream (contract ui-message-stream, section A4). */
export class AiSdkEncoder implements FrameEncoder {
  /** Clients parse the stream by lines. */
  readonly joinable = true;
  readonly variant?: string;
  /** Clients take the clean end of a body for the end of the answer. */
  readonly isCutAtShutdown = true;
  private readonly fold: TurnFold;
  private before: TurnBefore | undefined;
  private hasBegun = false;
  /** Replayed events of a step that a worker which was lost would begin again. */
  private held: LoggedEvent[] = [];
  private ended = false;
  /** How many frames the client has already; they are not written. */
  private discarded = 0;
  /** What the pieces of the open text begin with, and their frame up to the characters. */
  private piece: { readonly head: TextPieceHead; readonly frame: string } | undefined;

  constructor(private readonly options: AiSdkEncoderOptions) {
    const { from, level, before } = options;
    if (from === undefined) this.variant = `ai-sdk ${level}`;
    this.fold = new TurnFold(options);
    if (typeof before !== 'function') this.before = before;
  }

  discardFirst(frames: number): void {
    this.discarded = frames;
  }

  /** Reads what precedes the run, once. */
  prepare(): Promise<void> | undefined {
    const { before } = this.options;
    if (this.before || typeof before !== 'function') return undefined;
    return before().then((found) => {
      this.before = found;
    });
  }

  next(logged: LoggedEvent): readonly string[] {
    const { piece } = this;
    const characters = piece && logged.charactersAfter(piece.head);
    if (characters !== undefined && piece) {
      if (characters === '') return NONE;
      if (this.discarded === 0) return [`${piece.frame}${characters}"}\n\n`];
      this.discarded -= 1;
      return DISCARDED;
    }
    this.piece = undefined;
    const begun = this.hasBegun ? [] : this.begin();
    const chunks = this.released(logged).flatMap((event) => this.fold.next(event));
    if (chunks.some(({ type }) => ENDS.has(type))) this.ended = true;
    if (chunks.length > 0 && this.held.length === 0) this.setPiece(logged);
    return this.counted([...begun, ...chunks]);
  }

  /** The events to fold: of a replayed step that is not finished only once it is known whether it counts. */
  private released(logged: LoggedEvent): readonly LoggedEvent[] {
    const kept = this.before?.kept;
    const last = kept ? (this.options.logged ?? -1) : -1;
    if (this.held.length === 0 && (logged.seq > last || staysIn(kept, logged))) return [logged];
    this.held.push(logged);
    if (logged.seq <= last && !isSettled(logged) && !staysIn(kept, logged)) return [];
    const { held } = this;
    this.held = [];
    const { event } = logged;
    if (event.object === 'custom' && event.name === RUN_RECOVERED) this.fold.hide(discardedMessageIds(event));
    return held;
  }

  /** Not after a cut: clients take `[DONE]` for a complete answer. */
  end(): readonly string[] {
    return this.ended ? [DONE_FRAME] : NONE;
  }

  /** The start of the message, and what precedes the run. */
  private begin(): readonly Chunk[] {
    this.hasBegun = true;
    const { run, from = Number.POSITIVE_INFINITY } = this.options;
    const { messageId = '', earlier = [], outputs = [], discarded, decided } = this.before ?? {};
    const shown = earlier.filter(({ run: one }) => one.ordinal >= from);
    // The client has what precedes, and the outputs that it has sent.
    for (const one of earlier) if (one.run.ordinal < from) foldedRun(this.fold, one);
    const chunks = [
      ...shown.flatMap((one) => foldedRun(this.fold, one)),
      ...this.fold.begin(run, { discarded, decided }),
      ...outputs.flatMap((message) => this.fold.clientOutput(message)),
    ];
    const isWhole = shown.length > 0 || earlier.length === 0;
    const metadata = this.fold.startMetadata(shown[0]?.run ?? run);
    const start: Chunk = { type: 'start', messageId, ...(metadata && { messageMetadata: metadata }) };
    return [start, ...(isWhole ? chunks : chunks.filter(isNews))];
  }

  private setPiece(logged: LoggedEvent): void {
    const head = logged.textPieceHead;
    const part = head?.delta === true ? this.fold.openText(head.messageId ?? '', head.index ?? 0) : undefined;
    if (!head || !part) return;
    this.piece = { head, frame: `data: {"type":"${part.kind}-delta","id":${jsonString(part.id)},"delta":"` };
  }

  private counted(chunks: readonly Chunk[]): readonly string[] {
    if (this.discarded === 0) return chunks.length === 0 ? NONE : chunks.map(frameOf);
    return chunks.map((chunk) => {
      if (this.discarded === 0) return frameOf(chunk);
      this.discarded -= 1;
      return '';
    });
  }
}

/** True for an event before which nothing is discarded: the end of a step, of an output, or of the run. */
function isSettled({ event, isTerminal }: LoggedEvent): boolean {
  if (isTerminal || event.object === 'interrupt') return true;
  if (event.object === 'custom') return event.name === RUN_RECOVERED;
  if (event.object !== 'message' || event.status !== 'completed') return false;
  return event.usage !== null || OUTPUT_TYPES.includes(event.type);
}

/** True for an event of a message that stays, also if its worker is lost. */
function staysIn(kept: ReadonlySet<string> | undefined, { event }: LoggedEvent): boolean {
  const id = event.object === 'message' ? event.id : event.object === 'content' ? event.msg_id : null;
  return kept !== undefined && id !== null && kept.has(id);
}

/** False for what the client of a continuation has: which run it is, and its own outputs. */
function isNews({ type }: Chunk): boolean {
  return type.startsWith('data-');
}

/** The chunks of a run of a turn that has gone on: without its end. */
function foldedRun(fold: TurnFold, { run, events, outputs, discarded, decided }: LoggedRun): Chunk[] {
  return [
    ...fold.begin(run, { discarded, decided }),
    ...outputs.flatMap((message) => fold.clientOutput(message)),
    ...events.flatMap((event) => fold.next(event)).filter(({ type }) => !ENDS.has(type)),
  ];
}

/** One chunk as a frame. */
export function frameOf(chunk: Chunk): string {
  return dataFrame(JSON.stringify(chunk));
}
