import { ModelClient, type ModelEvent, type ModelFinishReason, type ModelRequest } from '../../agent/index.js';
import { abortableDelay, type Clock, type Delay, SystemClock } from '../../common/index.js';
import { composeAnswer, type OfflineAnswer } from './compose.js';
import { beforeStop, partsOf, piecesOf } from './pieces.js';
import type { PlannedCall } from './plan.js';
import { estimateUsage } from './usage-estimate.js';

/** How the offline model behaves; everything may be left out. */
export interface OfflineSettings {
  /** Milliseconds between two pieces, default 0. "Slowly" in the user's text means at least 30. */
  readonly paceMs?: number;
  /** The clock that "tomorrow" counts from when the system prompt tells no time. */
  readonly clock?: Clock;
  /** The wait between pieces, for tests. */
  readonly delay?: Delay;
}

const SLOW_MS = 30;
const ARGUMENT_PIECE = 8;
/** Pieces of one batch when there is no pace; the event loop takes a turn between two. */
const BURST = 16;

/**
 * A demo model without key and network: rules instead of understanding, and it says so. The same
 * request gives the same events. Its tool calls have no ids.
 */
export class OfflineModelClient extends ModelClient {
  readonly provider = 'offline';
  private readonly paceMs: number;
  private readonly clock: Clock;
  private readonly delay: Delay;

  constructor(settings: OfflineSettings = {}) {
    super();
    this.paceMs = settings.paceMs ?? 0;
    this.clock = settings.clock ?? new SystemClock();
    this.delay = settings.delay ?? abortableDelay;
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
