import { AppError, type Json, type JsonObject } from '../../../../common/index.js';
import {
  asObject,
  asText,
  type Fields,
  fieldsOf,
  objectAt,
  objectsAt,
  pieceAt,
  restOf,
  textAt,
  tokensAt,
} from '../json-fields.js';
import type { SseEvent } from '../remote-connection.js';
import { reportedFailure } from '../remote-failure.js';
import { bareFailure } from '../reported-errors.js';
import type { ExchangeEnd, RemoteReader, Turn } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import {
  answeredUntil,
  contentOf,
  isWaiting,
  LAST,
  outputOf,
  SILENT,
  storedContent,
  storedTokens,
} from './agentscope-blocks.js';
import { callText } from './agentscope-ids.js';
import { answeredCalls, isAnswer } from './agentscope-input.js';
import { askFor } from './agentscope-questions.js';
import { OwnReplies } from './agentscope-runs.js';

/** The name of the event that holds the stored messages. */
export const STORED = 'stored';
/** The source of raw events. */
const SOURCE = 'agentscope';
/** How long a session may have neither a run in progress nor an answer, in milliseconds. */
const LOST_MS = 10_000;

/**
 * Reads the events of one run of AgentScope 2.0, and its stored messages when it is over. Events have no numbers, and some
 * are lost between the replay of a stream and what follows it: after a connection was made again nothing of the stream is
 * shown, and what is missing of the answer comes from the store.
 */
export class AgentScopeReader implements RemoteReader {
  end: ExchangeEnd | undefined;
  model: string | undefined;
  /** True once the stream has shown that the run is over, or waits. */
  isOver = false;
  /** How many events were read. */
  position = 0;
  private hasBegun = false;
  private isBlind = false;
  private readonly replies: OwnReplies;
  /** Events that the replay and the stream both have come twice. */
  private readonly seen = new Set<string>();
  /** Blocks that were told whole, in this attempt and in those before. */
  private readonly told = new Set<string>();
  private newlyTold: string[] = [];
  /** Blocks whose stored text does not go on with what was told. */
  private readonly versions = new Map<string, number>();
  private readonly results = new Map<string, string>();
  private readonly files = new Map<string, { readonly type: string; readonly name: string | null; data: string }>();
  private readonly names = new Map<string, string>();
  private usage = { input: 0, output: 0 };
  private lostSince: number | undefined;
  private readonly isAnswer: boolean;
  /** Calls that an earlier run has shown. */
  private readonly shownBefore: ReadonlySet<string>;

  constructor(
    private readonly turn: Turn,
    private readonly secrets: readonly string[],
  ) {
    this.isAnswer = isAnswer(turn);
    this.replies = new OwnReplies(turn);
    this.shownBefore = new Set(Object.values(turn.after?.calls ?? {}));
  }

  /** The session is known before the stream. */
  identify(): undefined {
    return undefined;
  }

  read(event: SseEvent, writer: RemoteWriter): void {
    const fields = fieldsOf(event);
    if (event.name === STORED) return this.stored(fields, writer);
    const id = textAt(fields, 'id');
    if (id !== undefined) {
      if (this.seen.has(id)) return;
      this.seen.add(id);
    }
    this.position += 1;
    const type = textAt(fields, 'type') ?? '';
    if (type === '') this.end = bareFailure(fields, this.secrets);
    if (!this.replies.has(type, textAt(fields, 'reply_id'), this.isOver)) return;
    // What comes before belongs to an earlier run of the session.
    this.hasBegun ||= this.isAnswer ? this.isTaken(type, textAt(fields, 'reply_id')) : type === 'REPLY_START';
    if (!this.hasBegun && !this.isBlind) return;
    if (LAST.has(type)) this.isOver = true;
    else if (!this.isBlind && (textAt(fields, 'visibility') ?? 'user') === 'user') this.map(type, fields, writer);
  }

  /** @param messages that the session had when the run was accepted: the stream may bring earlier ones */
  noteEarlier(messages: readonly Fields[]): void {
    this.replies.noteEarlier(messages);
  }

  /** Whether an event says that our answers have arrived. */
  private isTaken(type: string, reply: string | undefined): boolean {
    if (!type.endsWith('_RESULT') || type.startsWith('TOOL_')) return false;
    return reply === undefined || answeredCalls(this.turn).some(({ replyId }) => replyId === reply);
  }

  takeTold(): JsonObject {
    const told = { blocks: this.newlyTold };
    this.newlyTold = [];
    return told;
  }

  reconnected(): void {
    this.isBlind = true;
    this.isOver = false;
    this.seen.clear();
  }

  restore(position: Json, told: readonly JsonObject[]): void {
    this.position = typeof position === 'number' ? position : 0;
    for (const { blocks } of told) for (const id of Array.isArray(blocks) ? blocks : []) this.told.add(asText(id));
  }

  private map(type: string, fields: Fields, writer: RemoteWriter): void {
    if (SILENT.has(type)) return;
    switch (type) {
      case 'MODEL_CALL_START':
        this.model = textAt(fields, 'model_name') ?? this.model;
        return;
      case 'MODEL_CALL_END':
        this.usage.input += tokensAt(fields, 'input_tokens') ?? 0;
        this.usage.output += tokensAt(fields, 'output_tokens') ?? 0;
        return;
      case 'TEXT_BLOCK_DELTA':
        return this.text('text', fields, writer);
      case 'THINKING_BLOCK_DELTA':
        return this.text('reasoning', fields, writer);
      case 'TEXT_BLOCK_END':
      case 'THINKING_BLOCK_END':
        return this.close(textAt(fields, 'block_id') ?? '', writer);
      case 'CUSTOM':
        return writer.emit({
          object: 'custom',
          name: textAt(fields, 'name') ?? '',
          value: asObject(objectAt(fields, 'value')),
        });
      default:
        if (type.startsWith('TOOL_')) this.call(type, fields, writer);
        else if (type.startsWith('DATA_BLOCK_')) this.file(type, fields, writer);
        else writer.emit({ object: 'raw', event: asObject(fields), source: SOURCE });
    }
  }

  private text(kind: 'text' | 'reasoning', fields: Fields, writer: RemoteWriter): void {
    const id = textAt(fields, 'block_id') ?? '';
    if (!this.told.has(id)) writer.text(this.keyOf(id), kind, pieceAt(fields, 'delta') ?? '');
  }

  private call(type: string, fields: Fields, writer: RemoteWriter): void {
    const [replyId, callId] = [textAt(fields, 'reply_id') ?? '', textAt(fields, 'tool_call_id') ?? ''];
    const given = textAt(fields, 'tool_call_name');
    if (given !== undefined) this.names.set(callId, given);
    const name = this.names.get(callId) ?? 'unknown_tool';
    const upstreamId = callText({ replyId, callId, name });
    switch (type) {
      case 'TOOL_CALL_START':
        if (!writer.knowsCall(upstreamId)) writer.call(`call:${callId}`, upstreamId, name);
        return;
      case 'TOOL_CALL_DELTA':
        return writer.args(`call:${callId}`, pieceAt(fields, 'delta') ?? '');
      case 'TOOL_CALL_END':
        return writer.end(`call:${callId}`);
      case 'TOOL_RESULT_TEXT_DELTA':
        this.results.set(callId, (this.results.get(callId) ?? '') + (pieceAt(fields, 'delta') ?? ''));
        return;
      case 'TOOL_RESULT_END': {
        if (this.isGiven(callId)) return;
        const isError = textAt(fields, 'state') !== 'success';
        writer.output(upstreamId, (this.results.get(callId) ?? '').toWellFormed(), { isError, name });
        return;
      }
      default:
    }
  }

  private file(type: string, fields: Fields, writer: RemoteWriter): void {
    const id = textAt(fields, 'block_id') ?? '';
    if (this.told.has(id)) return;
    if (type === 'DATA_BLOCK_START') {
      const media = textAt(fields, 'media_type') ?? 'application/octet-stream';
      this.files.set(id, { type: media, name: textAt(fields, 'name') ?? null, data: '' });
      return;
    }
    const file = this.files.get(id);
    if (!file) return;
    if (type === 'DATA_BLOCK_END') {
      writer.contents([contentOf(file.type, file.data, file.name)]);
      this.tell(id);
    } else file.data += textAt(fields, 'url') ?? textAt(fields, 'data') ?? '';
  }

  private close(id: string, writer: RemoteWriter): void {
    writer.end(this.keyOf(id));
    this.tell(id);
  }

  private tell(id: string): void {
    if (this.told.has(id)) return;
    this.told.add(id);
    this.newlyTold.push(id);
  }

  private keyOf(id: string): string {
    return `b:${id}:${this.versions.get(id) ?? 0}`;
  }

  /** The stored messages of the session. While a run is in progress they say nothing. */
  private stored(answer: Fields, writer: RemoteWriter): void {
    if (answer['is_running'] === true) {
      this.lostSince = undefined;
      return;
    }
    const replies = this.replies.in(objectsAt(answer, 'messages'));
    const [first] = replies;
    const last = replies.at(-1);
    if (!first || !last || this.isUnanswered(first)) return this.notThere();
    for (const reply of replies) this.tellReply(reply, reply === first, writer);
    this.countUsage(replies, writer);
    this.finish(last, writer);
  }

  /** True while what was answered still waits: the run that takes the answer has not begun. */
  private isUnanswered(reply: Fields): boolean {
    const waiting = new Set(
      objectsAt(reply, 'content')
        .filter(isWaiting)
        .map((one) => textAt(one, 'id')),
    );
    return answeredCalls(this.turn).some(({ callId }) => waiting.has(callId));
  }

  /** Neither a run nor an answer: that is so for a moment before the run begins, and for ever if its process was lost. */
  private notThere(): void {
    this.lostSince ??= performance.now();
    if (performance.now() - this.lostSince < LOST_MS) return;
    const error = new AppError('UPSTREAM_LOST', 'The remote agent has neither a run nor an answer');
    this.end = { kind: 'failed', error };
  }

  private tellReply(reply: Fields, isFirst: boolean, writer: RemoteWriter): void {
    const replyId = textAt(reply, 'id') ?? '';
    const blocks = objectsAt(reply, 'content');
    for (const block of isFirst && this.isAnswer
      ? blocks.slice(answeredUntil(blocks, answeredCalls(this.turn)))
      : blocks) {
      this.tellBlock(replyId, block, writer);
    }
  }

  private tellBlock(replyId: string, block: Fields, writer: RemoteWriter): void {
    const id = textAt(block, 'id') ?? '';
    const name = textAt(block, 'name') ?? 'unknown_tool';
    switch (textAt(block, 'type')) {
      case 'text':
        return this.tellText(id, 'text', textAt(block, 'text') ?? '', writer);
      case 'thinking':
        return this.tellText(id, 'reasoning', textAt(block, 'thinking') ?? '', writer);
      case 'tool_call': {
        const upstreamId = callText({ replyId, callId: id, name });
        const key = `call:${id}`;
        if (this.shownBefore.has(upstreamId)) return;
        if (!writer.knowsCall(upstreamId)) writer.call(key, upstreamId, name);
        writer.args(key, restOf(asText(block['input']), writer.told(key) ?? '') ?? '');
        return writer.end(key);
      }
      case 'tool_result': {
        const isError = textAt(block, 'state') !== 'success';
        const upstreamId = callText({ replyId, callId: id, name });
        if (this.isGiven(id) || (this.shownBefore.has(upstreamId) && !this.isAnswered(id))) return;
        return writer.output(upstreamId, outputOf(block['output']), { isError, name });
      }
      case 'data':
        if (!this.told.has(id)) writer.contents([storedContent(block)]);
        return this.tell(id);
      default:
    }
  }

  /** A stored text: it goes on with what was told, or begins anew. */
  private tellText(id: string, kind: 'text' | 'reasoning', text: string, writer: RemoteWriter): void {
    const isTold = this.told.has(id);
    const told = writer.told(this.keyOf(id)) ?? (isTold ? text : '');
    const rest = restOf(text, told);
    if (isTold && rest === '') return;
    if (isTold || rest === undefined) {
      writer.end(this.keyOf(id));
      this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
      writer.text(this.keyOf(id), kind, text);
    } else if (rest !== '') writer.text(this.keyOf(id), kind, rest);
    this.close(id, writer);
  }

  /** Whether the result of a call came from here: from the client, or from a person. */
  private isGiven(callId: string): boolean {
    return this.turn.decisions.length === 0 && this.isAnswered(callId);
  }

  private isAnswered(callId: string): boolean {
    return answeredCalls(this.turn).some((one) => one.callId === callId);
  }

  private countUsage(replies: readonly Fields[], writer: RemoteWriter): void {
    let { input, output } = this.usage;
    // What is stored of a reply that goes on counts what it used before, too.
    if (this.isBlind && !this.isAnswer) {
      input = storedTokens(replies, 'input_tokens');
      output = storedTokens(replies, 'output_tokens');
    }
    if (input + output > 0) writer.usage({ input_tokens: input, output_tokens: output, total_tokens: input + output });
  }

  private finish(reply: Fields, writer: RemoteWriter): void {
    const { clientTools } = this.turn.context;
    askFor(reply, objectsAt(reply, 'content').filter(isWaiting), { clientTools, writer });
    switch (textAt(reply, 'finished_reason')) {
      case 'error': {
        const error = objectAt(reply, 'error');
        const [message, type] = [textAt(error, 'message') ?? '', textAt(error, 'type')];
        this.end = { kind: 'failed', error: reportedFailure(message, type, this.secrets) };
        return;
      }
      case 'interrupted':
        this.end = { kind: 'failed', error: new AppError('UPSTREAM_CANCELED') };
        return;
      case 'exceed_max_iters':
        this.end = { kind: 'incomplete', reason: 'max_steps' };
        return;
      default:
        this.end = { kind: 'completed' };
    }
  }
}
