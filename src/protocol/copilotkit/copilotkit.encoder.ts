import type { JsonObject } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import {
  type AgUiEvent,
  AgUiFold,
  type AgUiGeneration,
  type AgUiMessage,
  SHUTDOWN_EVENT,
  toAgUiMessages,
} from '../ag-ui-events/index.js';
import { dataFrame } from '../http/sse/frames.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import type { ClientSnapshot } from './client-snapshot.js';

/** The frame of an event on CopilotKit's routes: without an id. */
export function copilotKitFrame(event: AgUiEvent): string {
  return dataFrame(JSON.stringify(event));
}

/** How one run of a thread is shown. */
export interface ReplayOptions {
  /** The run that is restored. */
  readonly run: RunView;
  /** The AG-UI version that the client speaks. */
  readonly generation: AgUiGeneration;
  /** The messages that were new in its request. */
  readonly input: readonly AgUiMessage[];
  /** The messages of the thread up to and including `input`. */
  readonly history: readonly AgUiMessage[];
  /** What the client has of the run already; absent when that is nothing. */
  readonly client?: ClientCopy | undefined;
  /** Called with the output of the run at its end. */
  readonly onOutput: (messages: readonly AgUiMessage[]) => void;
  /** Default `copilotKitFrame`. */
  readonly frameOf?: ((event: AgUiEvent) => string) | undefined;
}

/** The messages of a client that has a part of a run. */
export interface ClientCopy {
  readonly snapshot: ClientSnapshot;
  /** The output of the run when the client connected. */
  readonly output: readonly { readonly id: string }[];
}

/**
 * One run of a thread that a client restores (contract ag-ui, section 3): RUN_STARTED with the messages that were
 * new in it, then its events. Those of a finished run are compacted: the pieces of one message are joined.
 *
 * A client that has a part of a finished run gets the rest, and a snapshot that corrects its copy. Of a run in
 * progress it first gets a snapshot without the run's messages, and then the run from its start.
 */
export class ReplayEncoder implements FrameEncoder {
  readonly joinable = true;
  private readonly fold: AgUiFold;
  private readonly pieces = new PieceJoiner();
  private readonly isFinished: boolean;
  private written: readonly AgUiMessage[] = [];
  private hasStarted = false;

  constructor(private readonly options: ReplayOptions) {
    const { run, generation, input, history } = options;
    this.fold = replayFold(run, generation, input, history);
    this.isFinished = run.finishedAt !== null;
  }

  /** The frames of one event that the client does not have yet. */
  next(logged: LoggedEvent): readonly string[] {
    const { event } = logged;
    const { generation, onOutput, frameOf = copilotKitFrame } = this.options;
    if (event.object === 'response' && event.output && event.completed_at !== null) {
      this.written = toAgUiMessages(event.output, generation);
      onOutput(this.written);
    }
    const events = this.fold.next(logged);
    return this.forClient(this.isFinished ? this.pieces.join(events) : events).map(frameOf);
  }

  end(): readonly string[] {
    return [];
  }

  shutdownFrame(): string {
    return copilotKitFrame(SHUTDOWN_EVENT);
  }

  /** Leaves out what the client has. A finished run ends with a snapshot that corrects the client's copy. */
  private forClient(events: readonly AgUiEvent[]): readonly AgUiEvent[] {
    const { client, history } = this.options;
    if (!client) return events;
    const { snapshot, output } = client;
    if (this.isFinished) {
      const missing = events.filter((event) => !snapshot.has(event));
      const last = missing.at(-1);
      if (last?.type !== 'RUN_FINISHED' && last?.type !== 'RUN_ERROR') return missing;
      return [...missing.slice(0, -1), snapshot.corrected([...history, ...this.written]), last];
    }
    const [first, ...rest] = events;
    if (this.hasStarted || first?.type !== 'RUN_STARTED') return events;
    this.hasStarted = true;
    return [first, snapshot.corrected(history, output), ...rest];
  }
}

/** The fold of a run whose RUN_STARTED repeats messages of its request. */
export function replayFold(
  run: RunView,
  generation: AgUiGeneration,
  messages: readonly AgUiMessage[],
  history: readonly AgUiMessage[] = [],
): AgUiFold {
  const [threadId, runId] = [run.sessionId, run.runKey ?? run.runId];
  const rest = { tools: [], context: [], state: {}, forwardedProps: {} };
  return new AgUiFold({
    threadId,
    runId,
    ...(run.parentRunId !== null && { parentRunId: run.parentRunId }),
    generation,
    history,
    input: { threadId, runId, messages: messages as unknown as JsonObject[], ...rest },
  });
}

type PieceEvent = Extract<AgUiEvent, { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT' | 'TOOL_CALL_ARGS' }>;

/** Joins consecutive pieces of one message, call or reasoning. */
class PieceJoiner {
  private open: PieceEvent | undefined;
  private deltas: string[] = [];

  /** The events so far, without pieces that the next event may continue. */
  join(events: readonly AgUiEvent[]): AgUiEvent[] {
    const joined: AgUiEvent[] = [];
    for (const event of events) {
      const piece = isPiece(event) ? event : undefined;
      if (!piece || !this.open || !isSame(this.open, piece)) joined.push(...this.close());
      if (piece) {
        this.open ??= piece;
        this.deltas.push(piece.delta);
      } else joined.push(event);
    }
    return joined;
  }

  /** The pieces so far as one event. */
  private close(): AgUiEvent[] {
    if (!this.open) return [];
    const event = { ...this.open, delta: this.deltas.join('') };
    this.open = undefined;
    this.deltas = [];
    return [event];
  }
}

/** Events whose `delta` can be joined to that of the next one. */
function isPiece(event: AgUiEvent): event is PieceEvent {
  const { type } = event;
  return type === 'TEXT_MESSAGE_CONTENT' || type === 'REASONING_MESSAGE_CONTENT' || type === 'TOOL_CALL_ARGS';
}

function isSame(one: PieceEvent, other: PieceEvent): boolean {
  return one.type === other.type && ownerOf(one) === ownerOf(other);
}

/** The message or call that a piece belongs to. */
function ownerOf(event: PieceEvent): string {
  return event.type === 'TOOL_CALL_ARGS' ? event.toolCallId : event.messageId;
}
