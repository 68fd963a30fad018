import {
  ModelClient,
  type ModelInfo,
  type ModelEvent,
  type ModelFinishReason,
  type ModelMessage,
  type ModelRequest,
  usageOf,
} from '../../agent/index.js';
import { abortableDelay, type Delay, SystemClock, type WallClock } from '../../common/index.js';
import type { Usage } from '../../events/index.js';
import { composeAnswer, type OfflineAnswer } from './compose-answer.js';
import type { PlannedCall } from './conversation.js';

/** Options of the offline model. */
interface OfflineSettings {
  /** Milliseconds between two pieces, default 0. If the user's text contains "slowly", at least 30. */
  readonly paceMs?: number;
  /** The clock for relative dates such as "tomorrow" if the system prompt states no time. */
  readonly clock?: WallClock;
  /** Waits between pieces. Tests replace it. */
  readonly delay?: Delay;
}

const SLOW_MS = 30;
const ARGUMENT_PIECE = 8;
/** Pieces of one batch when there is no pace; the event loop takes a turn between two. */
const BURST = 16;

/**
 * A demo model that needs neither a key nor a network. It answers by fixed rules and says so. The same
 * request gives the same events. Its tool calls have no ids.
 */
export class OfflineModelClient extends ModelClient {
  readonly provider = 'offline';
  private readonly paceMs: number;
  private readonly clock: WallClock;
  private readonly delay: Delay;

  constructor(settings: OfflineSettings = {}) {
    super();
    this.paceMs = settings.paceMs ?? 0;
    this.clock = settings.clock ?? new SystemClock();
    this.delay = settings.delay ?? abortableDelay;
  }

  override get info(): ModelInfo {
    return { kind: 'offline', name: 'offline-demo' };
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[], void, undefined> {
    signal.throwIfAborted();
    const answer = composeAnswer(request, this.clock.now());
    const pace = answer.slow ? Math.max(SLOW_MS, this.paceMs) : this.paceMs;
    let batch: ModelEvent[] = [];
    let isFirst = true;
    for (const event of eventsOf(answer, request)) {
      batch.push(event);
      if (pace === 0 ? batch.length < BURST : event.type === 'finish') continue;
      if (!isFirst) await (pace > 0 ? this.delay(pace, signal) : new Promise<void>((resolve) => setImmediate(resolve)));
      signal.throwIfAborted();
      yield batch;
      batch = [];
      isFirst = false;
    }
    signal.throwIfAborted();
    if (batch.length > 0) yield batch;
    signal.throwIfAborted();
  }
}

function* eventsOf(answer: OfflineAnswer, request: ModelRequest): Generator<ModelEvent, void, undefined> {
  const { stop, maxTokens = Number.POSITIVE_INFINITY } = request.options;
  for (const text of piecesOf(answer.reasoning)) yield { type: 'reasoning-delta', text };
  let reason: ModelFinishReason = answer.calls.length > 0 ? 'tool-calls' : 'stop';
  let tokens = 0;
  let spoken = 0;
  for (const text of piecesOf(beforeStop(answer.text, stop))) {
    if (tokens >= maxTokens) {
      reason = 'length';
      break;
    }
    tokens += 1;
    spoken += text.length;
    yield { type: 'text-delta', text };
  }
  for (const [index, call] of answer.calls.entries()) {
    spoken += call.name.length + JSON.stringify(call.arguments).length;
    yield* callEvents(index, call);
  }
  yield { type: 'finish', reason, usage: estimateUsage(request, spoken, answer.reasoning.length) };
}

function* callEvents(index: number, call: PlannedCall): Generator<ModelEvent, void, undefined> {
  yield { type: 'tool-call-delta', index, name: call.name, argumentsDelta: '' };
  for (const argumentsDelta of partsOf(JSON.stringify(call.arguments), ARGUMENT_PIECE)) {
    yield { type: 'tool-call-delta', index, argumentsDelta };
  }
}

const LONGEST_WORD = 24;
const SHORT_PIECE = 8;

/**
 * Splits a text into the pieces that are streamed: words with the white space after them, pairs of Chinese
 * characters, and parts of long unbroken strings. A piece counts as one token.
 */
function* piecesOf(text: string): Generator<string, void, undefined> {
  for (const [word] of text.matchAll(/\p{Script=Han}{1,2}\p{P}*\s*|[^\s\p{Script=Han}]+\s*|\s+/gu)) {
    if (word.length <= LONGEST_WORD) yield word;
    else yield* partsOf(word, SHORT_PIECE);
  }
}

/** Splits a text into parts of `size` code points. */
function* partsOf(text: string, size: number): Generator<string, void, undefined> {
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at += size) yield characters.slice(at, at + size).join('');
}

/** The text before the first stop sequence. */
function beforeStop(text: string, stop: readonly string[] = []): string {
  const ends = stop.filter((sequence) => sequence !== '').map((sequence) => text.indexOf(sequence));
  const first = Math.min(...ends.filter((at) => at >= 0));
  return Number.isFinite(first) ? text.slice(0, first) : text;
}

const CHARACTERS_PER_TOKEN = 4;

/** The usage that the offline model reports: one token for about four characters. */
function estimateUsage(request: ModelRequest, spoken: number, thought: number): Usage {
  const tools = request.tools.reduce(
    (sum, tool) => sum + tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length,
    0,
  );
  const input = tokens(request.messages.reduce((sum, message) => sum + sizeOf(message), tools));
  return usageOf(input, tokens(spoken), tokens(thought));
}

function sizeOf(message: ModelMessage): number {
  if (message.role === 'user')
    return message.content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);
  if (message.role !== 'assistant') return message.content.length;
  return message.toolCalls.reduce(
    (sum, call) => sum + call.name.length + call.arguments.length,
    message.content.length,
  );
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
