import { Injectable } from '@nestjs/common';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { type Principal, userReach } from '../../common/index.js';
import { LoggedEvent, type Message } from '../../events/index.js';
import { Interrupts } from '../../agent/interrupt/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import {
  type AgUiEvent,
  type AgUiGeneration,
  type AgUiMessage,
  keptInterrupt,
  questionsOf,
  stateSummaryOf,
  toAgUiMessages,
} from '../ag-ui-events/index.js';
import type { FrameEncoder } from '../wire/index.js';
import type { ClientSnapshot } from './client-snapshot.js';
import { type ClientCopy, copilotKitFrame, ReplayEncoder, replayFold } from './copilotkit.encoder.js';

/** Which thread is shown, and how. */
export interface ReplayRequest {
  /** The AG-UI version that the client speaks. */
  readonly generation: AgUiGeneration;
  /** What the client has of the thread already. */
  readonly client?: ClientSnapshot | undefined;
  /** Default `copilotKitFrame`. */
  readonly frameOf?: ((event: AgUiEvent) => string) | undefined;
}

/** The encoders of one stream that shows the runs of a thread one after another, in their order. */
export interface ThreadReplay {
  /** The encoder of the next run. A run that was rolled back is not part of the thread any more: it has no frames. */
  encoderOf(run: RunView): Promise<FrameEncoder>;
  /** The frames of that run when its events were removed: its messages, state, open interrupts and outcome. */
  expired(run: RunView): Promise<readonly string[]>;
}

/** The view of a run that shows nothing. */
const NO_FRAMES: FrameEncoder = { joinable: true, next: () => [], end: () => [] };

/** Makes the encoders of streams that restore a thread (contract ag-ui, section 3). */
@Injectable()
export class ThreadReplays {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    private readonly attachments: MessageAttachments,
  ) {}

  /**
   * Begins a replay. Its encoders must be requested in the order of the runs, since each one needs the messages
   * before.
   */
  open(request: ReplayRequest): ThreadReplay {
    const { generation, frameOf = copilotKitFrame } = request;
    /** The messages of the runs so far. */
    const shown: AgUiMessage[] = [];
    let input: readonly AgUiMessage[] = [];
    return {
      encoderOf: async (run) => {
        if (isGone(run)) return NO_FRAMES;
        input = this.shown(await this.runs.input(userReach(run), run.runId), run, generation);
        shown.push(...input);
        const client = await this.clientCopy(request, run);
        const onOutput = (messages: readonly AgUiMessage[]): void => void shown.push(...messages);
        return new ReplayEncoder({ run, generation, input, history: [...shown], client, onOutput, frameOf });
      },
      expired: async (run) => {
        if (isGone(run)) return [];
        const events = await this.retained(request, run, { history: [...shown], input, append: shown });
        return events.map(frameOf);
      },
    };
  }

  /** Stored messages as a client reads them. @param owner of the thread */
  shown(messages: readonly Message[], owner: Principal, generation: AgUiGeneration): readonly AgUiMessage[] {
    return toAgUiMessages(this.attachments.shown(messages, owner), generation);
  }

  /** Undefined if the client has nothing of the run's output; then the run is sent as a whole. */
  private async clientCopy({ client }: ReplayRequest, run: RunView): Promise<ClientCopy | undefined> {
    if (!client) return undefined;
    const output = (await this.runs.response(userReach(run), run.runId)).output ?? [];
    return client.lacks(output) ? undefined : { snapshot: client, output };
  }

  /** The events of a run of which only the response is left. An earlier version did not retain the state. */
  private async retained(
    { generation }: ReplayRequest,
    run: RunView,
    thread: {
      readonly history: readonly AgUiMessage[];
      readonly input: readonly AgUiMessage[];
      readonly append: AgUiMessage[];
    },
  ): Promise<readonly AgUiEvent[]> {
    const response = await this.runs.response(userReach(run), run.runId);
    const output = toAgUiMessages(response.output ?? [], generation);
    thread.append.push(...output);
    const state = stateSummaryOf(run) ?? (await this.sessions.view(run, run.sessionId))?.state ?? {};
    const fold = replayFold(run, generation, [...thread.input, ...output]);
    const snapshots: AgUiEvent[] = [];
    const isInterrupted = run.state === 'interrupted';
    if (isInterrupted || Object.keys(state).length > 0) snapshots.push({ type: 'STATE_SNAPSHOT', snapshot: state });
    if (isInterrupted) {
      const interrupt = keptInterrupt(run, response, await questionsOf(this.interrupts, run));
      // The outcome needs it; its own events are the snapshots here.
      fold.next(new LoggedEvent(run.lastSeq, '', interrupt, 0));
      if (interrupt.items.length > 0) {
        snapshots.push({ type: 'MESSAGES_SNAPSHOT', messages: [...thread.history, ...output] });
      }
    }
    const [started, ...end] = fold.next(new LoggedEvent(run.lastSeq, '', response, 0));
    return [...(started ? [started] : []), ...snapshots, ...end];
  }
}

/** A run in progress is shown until it ends. */
function isGone({ isRolledBack, finishedAt }: RunView): boolean {
  return isRolledBack && finishedAt !== null;
}
