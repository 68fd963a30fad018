import { type Json, type JsonObject, patchedIfFits } from '../../../common/index.js';
import { type LoggedEvent, ResponseFold } from '../../../events/index.js';
import type { RunView } from '../../../run/index.js';
import { type AgUiEvent, AgUiFold, type AgUiMessage, toAgUiMessages } from '../../ag-ui-events/index.js';
import type { FrameEncoder } from '../../wire/frame-encoder.js';
import { clientRunId } from '../run-names.js';
import { RunsEncoder, type RunsEncoderOptions } from '../runs.encoder.js';

/** A piece of a text or of a call's arguments. */
type Piece = Extract<AgUiEvent, { readonly delta: string }>;

/** Something that has begun and not ended: how it began, and its pieces so far as one. */
interface OpenEntity {
  /** The start events, repeated in the snapshot. */
  readonly start: readonly AgUiEvent[];
  /** All pieces so far as one event; undefined before the first. */
  piece: Piece | undefined;
}

/**
 * Where a run stands, as events that a client without a past can go on from (contract runs-api,
 * section 5, rule 5): RUN_STARTED, the messages, the state, then what is open begun anew.
 */
export class RunSnapshot {
  private readonly fold: AgUiFold;
  private readonly response = new ResponseFold();
  /** By kind and id, in the order of their beginning. */
  private readonly open = new Map<string, OpenEntity>();
  /** The current content of each activity, by message id. */
  private readonly activities = new Map<string, Extract<AgUiEvent, { type: 'ACTIVITY_SNAPSHOT' }>>();
  /** The shared state at the place that was reached. */
  state: Json = {};

  constructor(private readonly run: RunView) {
    this.fold = new AgUiFold({ threadId: run.sessionId, runId: clientRunId(run), generation: 'v1' });
  }

  /** Takes the next event of the log, from its beginning. */
  take(logged: LoggedEvent): void {
    this.response.apply(logged.event);
    for (const event of this.fold.next(logged)) this.apply(event);
  }

  /** The events of the place that was reached. @param history the thread before this run's output */
  events(history: readonly AgUiMessage[]): readonly AgUiEvent[] {
    const { sessionId: threadId, parentRunId } = this.run;
    const own = toAgUiMessages(this.response.response()?.output ?? [], 'v1');
    const started: AgUiEvent = {
      type: 'RUN_STARTED',
      threadId,
      runId: clientRunId(this.run),
      ...(parentRunId !== null && { parentRunId }),
    };
    return [
      started,
      { type: 'MESSAGES_SNAPSHOT', messages: [...history, ...own] },
      { type: 'STATE_SNAPSHOT', snapshot: this.state },
      ...this.activities.values(),
      ...[...this.open.values()].flatMap(({ start, piece }) => (piece ? [...start, piece] : start)),
    ];
  }

  /** Keeps the state and the activities; other events may begin or end something that is open. */
  private apply(event: AgUiEvent): void {
    switch (event.type) {
      case 'STATE_SNAPSHOT':
        this.state = event.snapshot;
        return;
      case 'STATE_DELTA':
        this.state = patchedIfFits(this.state, event.delta);
        return;
      case 'ACTIVITY_SNAPSHOT':
        this.activities.set(event.messageId, event);
        return;
      case 'ACTIVITY_DELTA': {
        const known = this.activities.get(event.messageId);
        const content = patchedIfFits(known?.content ?? {}, event.patch) as JsonObject;
        const { messageId, activityType } = event;
        this.activities.set(messageId, { type: 'ACTIVITY_SNAPSHOT', messageId, activityType, content });
        return;
      }
      default:
        this.follow(event);
    }
  }

  /** Keeps what is open: by kind and id, so that a text and its reasoning stay apart. */
  private follow(event: AgUiEvent): void {
    switch (event.type) {
      case 'STEP_STARTED':
        this.begin(`step ${event.stepName}`, event);
        return;
      case 'STEP_FINISHED':
        this.open.delete(`step ${event.stepName}`);
        return;
      case 'TEXT_MESSAGE_START':
      case 'REASONING_START':
        this.begin(event.messageId, event);
        return;
      case 'REASONING_MESSAGE_START':
        this.begin(event.messageId, ...(this.open.get(event.messageId)?.start ?? []), event);
        return;
      case 'TEXT_MESSAGE_CONTENT':
      case 'REASONING_MESSAGE_CONTENT':
        this.addPiece(event.messageId, event);
        return;
      case 'TEXT_MESSAGE_END':
      case 'REASONING_END':
        this.open.delete(event.messageId);
        return;
      case 'REASONING_MESSAGE_END':
        this.begin(event.messageId, { type: 'REASONING_START', messageId: event.messageId });
        return;
      case 'TOOL_CALL_START':
        this.begin(`call ${event.toolCallId}`, event);
        return;
      case 'TOOL_CALL_ARGS':
        this.addPiece(`call ${event.toolCallId}`, event);
        return;
      case 'TOOL_CALL_END':
        this.open.delete(`call ${event.toolCallId}`);
        return;
      default:
    }
  }

  /** Registers an open entity, or replaces its start events. */
  private begin(key: string, ...start: readonly AgUiEvent[]): void {
    this.open.set(key, { start, piece: undefined });
  }

  /** Appends a piece to an entity; a piece of an unknown entity is ignored. */
  private addPiece(key: string, event: Piece): void {
    const entity = this.open.get(key);
    if (entity) entity.piece = { ...event, delta: (entity.piece?.delta ?? '') + event.delta };
  }
}

/**
 * Shows the state of a run as of its view, as a snapshot under the id of its last event, then the events
 * after it as they come (contract runs-api, section 5, rule 5).
 */
export class SnapshotEncoder implements FrameEncoder {
  /** Clients parse the stream by lines, so frames may share one write. */
  readonly joinable = true;
  private readonly encoder: RunsEncoder;
  private readonly snapshot: RunSnapshot;
  /** The thread before this run's output, loaded shortly before the snapshot is shown. */
  private messages: readonly AgUiMessage[] = [];
  private isShown = false;
  /** The time of the last event that was taken, in milliseconds since the epoch: the snapshot's timestamp. */
  private at: number;

  constructor(
    private readonly run: RunView,
    private readonly options: Required<Pick<RunsEncoderOptions, 'history' | 'isStopping'>>,
  ) {
    this.encoder = new RunsEncoder(run, options);
    this.snapshot = new RunSnapshot(run);
    this.at = run.createdAt;
  }

  /** Loads the history before the batch that completes the snapshot. */
  prepare(events: readonly LoggedEvent[]): Promise<void> | undefined {
    const prepared = this.encoder.prepare(events);
    if (this.isShown || !events.some((event) => event.seq >= this.run.lastSeq || event.isTerminal)) return prepared;
    return this.loadHistory(prepared);
  }

  /** Nothing before the place of the view; there the snapshot; after it the events themselves. */
  next(event: LoggedEvent): readonly string[] {
    const { lastSeq } = this.run;
    // The end is an event like any other: a reader that comes after it gets the snapshot and then the end.
    const frames = event.seq > lastSeq || event.isTerminal ? this.show() : [];
    if (this.isShown) {
      frames.push(...this.encoder.next(event));
    } else {
      this.encoder.skip(event);
      this.snapshot.take(event);
    }
    this.at = event.at;
    if (event.seq >= lastSeq) frames.push(...this.show());
    return frames;
  }

  /** As the encoder of the whole stream. */
  end(): readonly string[] {
    return this.encoder.end();
  }

  /** As the encoder of the whole stream. */
  firstFrame(frame: string): string {
    return this.encoder.firstFrame(frame);
  }

  /** The snapshot's frames, once. */
  private show(): string[] {
    if (this.isShown) return [];
    this.isShown = true;
    return this.snapshot.events(this.messages).map((event) => this.encoder.frame(event, this.at));
  }

  private async loadHistory(prepared: Promise<void> | undefined): Promise<void> {
    this.messages = await this.options.history();
    await prepared;
  }
}
