import {
  type AgentResponse,
  CALL_TYPES,
  type Content,
  discardedMessageIds,
  type InterruptEvent,
  isTerminalEvent,
  isTerminalStatus,
  type LoggedEvent,
  type Message,
  OUTPUT_TYPES,
  RUN_RECOVERED,
  type TextPieceHead,
} from '../../events/index.js';
import { DONE_FRAME } from '../http/sse/frames.js';
import type { HttpError } from '../http/errors/http-error.js';
import { partText } from '../openai/index.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { runError, wireError } from './chat-completions.errors.js';
import { ChunkWriter, type DeltaText, fitsInChunk } from './chunk-writer.js';
import type { CompletionInfo } from './completion-info.js';
import { annotationsOf, answerText, finishReason, isAnswer, ReasoningText, TEXT_BREAK } from './completion-object.js';
import { type CallData, callDataOf, questionOf } from './told-calls.js';
import { CallTrace, type TraceStep } from './tool-trace.js';

/** A message that is being written. */
interface OpenMessage {
  readonly isReasoning: boolean;
  /** Whether something of it has been sent. */
  hasBegun: boolean;
  /** Where its text begins in that of the answer. */
  from: number;
  /** The contents of which a piece was sent. */
  readonly pieces: Set<number | null>;
}

/** A frame that the client already has. */
const DISCARDED: readonly string[] = [''];
const NONE: readonly string[] = [];

/**
 * A run as the chunks of a completion (contract chat-completions, sections A5 and E). The stream ends with a chunk that
 * has a `finish_reason`, or with an error. Calls of the client's tools are sent whole when the run waits for them, and
 * JSON is sent when the run has ended: neither can be taken back.
 */
export class CompletionEncoder implements FrameEncoder {
  readonly joinable = false;
  /** What a completion shows follows from its run alone. */
  readonly variant = 'chat-completions';
  /** Clients take the clean end of a body for the end of the answer. */
  readonly isCutAtShutdown = true;
  private readonly chunks: ChunkWriter;
  private readonly trace: CallTrace;
  private readonly reasoning = new ReasoningText();
  /** The messages of the answer and of reasoning that are open, by id. */
  private readonly open = new Map<string, OpenMessage>();
  /** Calls by id, those of the server and of the client. */
  private readonly calls = new Map<string, CallData>();
  /** Calls of which it is not known whether they are the client's, by id. */
  private readonly undecided = new Map<string, Message>();
  private hasRole = false;
  /** Whether a text has been sent, so that the next one is divided from it. */
  private hasText = false;
  /** How long the text is that has been sent. */
  private textLength = 0;
  /** Of an answer in JSON: the message with its last text. */
  private held: Message | undefined;
  private callCount = 0;
  private ended = false;
  /** How many frames the client has already; they are not written. */
  private discarded = 0;
  /** What the pieces of the open text begin with, and where they go. */
  private piece: { readonly head: TextPieceHead; readonly field: DeltaText } | undefined;

  constructor(private readonly info: CompletionInfo) {
    this.chunks = new ChunkWriter(info);
    this.trace = new CallTrace(info.trace);
  }

  discardFirst(frames: number): void {
    this.discarded = frames;
  }

  next(logged: LoggedEvent): readonly string[] {
    const { piece } = this;
    const characters = piece && logged.charactersAfter(piece.head);
    if (characters !== undefined && piece && fitsInChunk(characters)) {
      if (characters === '') return NONE;
      if (piece.field === 'content') this.textLength += lengthOf(characters);
      if (this.discarded === 0) return [this.chunks.characters(piece.field, characters)];
      this.discarded -= 1;
      return DISCARDED;
    }
    return this.counted(this.frames(logged));
  }

  /** Not after a cut: clients take `[DONE]` for a complete answer. */
  end(): readonly string[] {
    return this.ended ? [DONE_FRAME] : NONE;
  }

  errorFrames(error: HttpError): readonly string[] {
    return [this.chunks.error(wireError(error)), DONE_FRAME];
  }

  private counted(frames: readonly string[]): readonly string[] {
    if (this.discarded === 0 || frames.length === 0) return frames;
    const dropped = Math.min(this.discarded, frames.length);
    this.discarded -= dropped;
    return frames.map((frame, at) => (at < dropped ? '' : frame));
  }

  private frames(logged: LoggedEvent): readonly string[] {
    const { event } = logged;
    switch (event.object) {
      case 'content':
        return this.content(event, logged);
      case 'message':
        return isTerminalStatus(event.status) ? this.close(event) : this.begin(event);
      case 'response':
        if (isTerminalEvent(event)) return this.finish(event);
        return logged.status === 'in_progress' ? this.role() : NONE;
      case 'interrupt':
        return this.ask(event);
      case 'subagent':
        if (event.status === 'started') this.trace.subagent(event.id, event.name);
        return NONE;
      case 'custom':
        if (event.name === RUN_RECOVERED) this.discard(discardedMessageIds(event));
        return NONE;
      default:
        return NONE;
    }
  }

  /** Once: SDKs refuse an answer without a role. */
  private role(): readonly string[] {
    if (this.hasRole) return NONE;
    this.hasRole = true;
    return [this.chunks.role()];
  }

  private begin(message: Message): readonly string[] {
    const isReasoning = message.type === 'reasoning';
    if ((isReasoning || isAnswer(message)) && !this.open.has(message.id)) {
      this.open.set(message.id, { isReasoning, hasBegun: false, from: 0, pieces: new Set() });
    }
    return NONE;
  }

  private content(content: Content, logged: LoggedEvent): readonly string[] {
    const message = this.open.get(content.msg_id ?? '');
    if (!message || !this.isShown(message)) return NONE;
    const isWhole = content.delta !== true;
    // The whole value at the end repeats the pieces.
    if (isWhole && message.pieces.has(content.index) && isTerminalStatus(content.status)) return NONE;
    const isText = content.type === 'text' || content.type === 'refusal';
    if (!isText && !(isWhole && isTerminalStatus(content.status))) return NONE;
    const text = partText(content);
    if (text === '') return NONE;
    const field = message.isReasoning ? 'reasoning_content' : content.type === 'refusal' ? 'refusal' : 'content';
    // A text that replaces what was sent follows it.
    if (isWhole && message.pieces.has(content.index)) message.hasBegun = false;
    message.pieces.add(content.index);
    const frames = this.text(message, field, text);
    const head = content.delta === true && content.type === 'text' ? logged.textPieceHead : undefined;
    this.piece = head && { head, field };
    return frames;
  }

  private isShown({ isReasoning }: OpenMessage): boolean {
    return isReasoning ? this.info.reasoning : !this.info.isJson;
  }

  private text(message: OpenMessage, field: DeltaText, text: string): readonly string[] {
    const isFirst = !message.hasBegun;
    message.hasBegun = true;
    if (field === 'reasoning_content') return this.chunks.text(field, this.reasoning.piece(text, isFirst));
    if (field === 'refusal') return this.chunks.text(field, text);
    const frames = this.answer(text, isFirst);
    if (isFirst) message.from = this.textLength - text.length;
    return frames;
  }

  private answer(text: string, isFirst: boolean): readonly string[] {
    const gap = isFirst && this.hasText ? this.chunks.text('content', TEXT_BREAK) : NONE;
    this.hasText = true;
    this.textLength += (gap.length > 0 ? TEXT_BREAK.length : 0) + text.length;
    return [...gap, ...this.chunks.text('content', text)];
  }

  private close(message: Message): readonly string[] {
    this.piece = undefined;
    const { type } = message;
    if (CALL_TYPES.includes(type)) return this.call(message);
    if (OUTPUT_TYPES.includes(type)) return this.output(message);
    const opened = this.open.get(message.id);
    this.open.delete(message.id);
    if (!isAnswer(message)) return NONE;
    if (!this.info.isJson) return this.sources(message, opened?.from ?? 0);
    if (answerText(message) !== '') this.held = message;
    return NONE;
  }

  /** What the text of a message rests on. */
  private sources(message: Message, from: number): readonly string[] {
    const annotations = annotationsOf(message, from);
    return annotations.length === 0 ? NONE : [this.chunks.annotations(annotations)];
  }

  private call(message: Message): readonly string[] {
    if (message.status !== 'completed') return NONE;
    const call = callDataOf(message);
    this.calls.set(call.callId, call);
    if (message.type !== 'function_call') return this.step(this.trace.begun(message, call));
    // It may be the client's; if it is the server's, its output follows.
    this.undecided.set(call.callId, message);
    return NONE;
  }

  private output(message: Message): readonly string[] {
    const { callId } = callDataOf(message);
    const call = this.undecided.get(callId);
    this.undecided.delete(callId);
    return [...(call ? this.step(this.trace.begun(call)) : NONE), ...this.step(this.trace.ended(message))];
  }

  private step({ line, isDone }: TraceStep): readonly string[] {
    if (this.info.trace === 'off') return NONE;
    if (this.info.trace === 'status') return [this.chunks.status(line.trimEnd(), isDone)];
    return this.chunks.text('reasoning_content', this.reasoning.piece(line, true));
  }

  /** The run waits: what it asks of the client stands now. */
  private ask(event: InterruptEvent): readonly string[] {
    const question = questionOf(this.info, event, this.calls);
    const frames = [...this.heldText(), ...(question.text === '' ? NONE : this.answer(question.text, true))];
    for (const call of question.calls) {
      frames.push(this.chunks.call(this.callCount, call));
      this.callCount += 1;
    }
    return frames;
  }

  private finish(response: AgentResponse): readonly string[] {
    this.ended = true;
    const { status, usage } = response;
    if (status !== 'completed' && status !== 'incomplete') return [this.chunks.error(runError(response))];
    return [...this.role(), ...this.heldText(), ...this.chunks.end(finishReason(response, this.callCount > 0), usage)];
  }

  private heldText(): readonly string[] {
    const { held } = this;
    this.held = undefined;
    if (!held) return NONE;
    const text = answerText(held);
    const frames = this.answer(text, true);
    return [...frames, ...this.sources(held, this.textLength - text.length)];
  }

  /** A worker was lost: its unfinished messages are written again. What was sent cannot be taken back. */
  private discard(messageIds: readonly string[]): void {
    this.piece = undefined;
    for (const id of messageIds) this.open.delete(id);
    if (messageIds.includes(this.held?.id ?? '')) this.held = undefined;
    const lost = new Set(messageIds);
    for (const [callId, { id }] of this.undecided) if (lost.has(id)) this.undecided.delete(callId);
  }
}

/** The length of a text from its characters in JSON. */
function lengthOf(characters: string): number {
  return characters.includes('\\') ? (JSON.parse(`"${characters}"`) as string).length : characters.length;
}
