import { ModelClient, type ModelInfo, type ModelEvent, type ModelRequest, usageOf } from '../../agent/index.js';
import { abortableDelay, type Delay, SystemClock, type WallClock } from '../../common/index.js';
import { composeAnswer, type OfflineAnswer } from './compose-answer.js';

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
  const { stop = [], maxTokens = Number.POSITIVE_INFINITY } = request.options;
  for (const text of piecesOf(answer.reasoning)) yield { type: 'reasoning-delta', text };
  const ends = stop.filter((sequence) => sequence !== '').map((sequence) => answer.text.indexOf(sequence));
  const pieces = [...piecesOf(answer.text.slice(0, Math.min(...ends.filter((at) => at >= 0), answer.text.length)))];
  const spoken = pieces.slice(0, maxTokens);
  for (const text of spoken) yield { type: 'text-delta', text };
  const calls = answer.calls.map((call) => ({ name: call.name, text: JSON.stringify(call.arguments) }));
  for (const [index, { name, text }] of calls.entries()) {
    yield { type: 'tool-call-delta', index, name, argumentsDelta: '' };
    for (const argumentsDelta of partsOf(text)) yield { type: 'tool-call-delta', index, argumentsDelta };
  }
  const reason = calls.length > 0 ? 'tool-calls' : spoken.length < pieces.length ? 'length' : 'stop';
  const output = [...spoken, ...calls.flatMap(({ name, text }) => [name, text])];
  yield {
    type: 'finish',
    reason,
    usage: usageOf(tokensIn(inputOf(request)), tokensIn(output), tokensIn([answer.reasoning])),
  };
}

const LONGEST_WORD = 24;
const PART = 8;

/**
 * Splits a text into the pieces that are streamed: words with the white space after them, pairs of Chinese
 * characters, and parts of long unbroken strings. A piece counts as one token.
 */
function* piecesOf(text: string): Generator<string, void, undefined> {
  for (const [word] of text.matchAll(/\p{Script=Han}{1,2}\p{P}*\s*|[^\s\p{Script=Han}]+\s*|\s+/gu)) {
    if (word.length <= LONGEST_WORD) yield word;
    else yield* partsOf(word);
  }
}

/** Splits a text into parts of eight code points. */
function* partsOf(text: string): Generator<string, void, undefined> {
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at += PART) yield characters.slice(at, at + PART).join('');
}

/** All texts of a request. */
function inputOf({ messages, tools }: ModelRequest): readonly string[] {
  return [
    ...tools.flatMap(({ name, description, parameters }) => [name, description, JSON.stringify(parameters)]),
    ...messages.flatMap((message) => {
      if (message.role === 'user') return message.content.map((part) => (part.type === 'text' ? part.text : ''));
      const calls = message.role === 'assistant' ? message.toolCalls : [];
      return [message.content, ...calls.flatMap((call) => [call.name, call.arguments])];
    }),
  ];
}

/** An estimate: one token for four characters. */
function tokensIn(texts: readonly string[]): number {
  return Math.ceil(texts.reduce((sum, { length }) => sum + length, 0) / 4);
}
