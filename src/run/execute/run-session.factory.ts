import { Injectable } from '@nestjs/common';
import { modelOfStep, stateOfStep } from '../../agent/index.js';
import { Clock, IdFactory } from '../../common/index.js';
import { type AgentResponse, type LoggedEvent, ResponseBuilder, ResponseFold } from '../../events/index.js';
import type { RunMeter } from '../../usage/index.js';
import { GroupCommit } from '../log/group-commit.js';
import { RunFeeds } from '../log/run-feeds.js';
import { RunWriter } from '../log/run-writer.js';
import type { StartedRun } from '../ports/dispatcher.js';
import type { RunRecord } from '../run-record.js';
import { MessageCommitter } from './message-committer.js';
import type { RunControl } from './run-control.js';
import { finishedMessageIds, NO_PARTIAL_STATE, type PartialState, RunRecovery } from './run-recovery.js';

/** The execution of one run in this process: its writer, the builder that writes to it, and what it wrote before. */
export interface RunSession {
  readonly writer: RunWriter;
  readonly response: ResponseBuilder;
  readonly partial: PartialState;
  readonly messages: MessageCommitter;
  readonly meter: RunMeter;
  /** Tells the readers of this process that it writes no more events. */
  close(): void;
}

/** Opens the log of a claimed run for writing, or ends a run whose log cannot be read. */
@Injectable()
export class RunSessionFactory {
  constructor(
    private readonly recovery: RunRecovery,
    private readonly commits: GroupCommit,
    private readonly feeds: RunFeeds,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  /**
   * @param started given when the process has just accepted the run: its log is not read
   * @throws what `RunRecovery.load` throws
   */
  async open(run: RunRecord, control: RunControl, started?: StartedRun): Promise<RunSession> {
    const partial = started ? NO_PARTIAL_STATE : await this.recovery.load(run);
    const begun = partial.response ?? responseAfter(started?.events ?? []);
    const feed = this.feeds.join(run.rowId);
    feed.hasWriter = true;
    if (started) feed.publish(started.events);
    const writer = new RunWriter(run, {
      commits: this.commits,
      feed,
      now: () => this.clock.now(),
      deadline: () => control.deadline,
      onLost: () => control.stop('lost'),
      onLostEvents: () => control.stop('failover'),
      answeredBy: answeredBy(partial),
      statesOf: (joining) => messages.statesOf(joining),
    });
    const response = new ResponseBuilder({
      responseId: run.id,
      sessionId: run.sessionId,
      ids: this.ids,
      clock: this.clock,
      sink: (event) => {
        writer.emit(event);
        if (event.object === 'message') writer.append(messages.afterEvent(event));
      },
      ...(begun ? { resume: begun, retired: partial.retired } : {}),
    });
    const messages = new MessageCommitter(response, finishedMessageIds(partial), partial.joined);
    for (const { output, messageIds } of partial.steps) {
      const state = output && stateOfStep(output);
      if (state) messages.keep(messageIds, state);
    }
    const meter = this.recovery.spending.meter(run, control, {
      book: (call) => writer.spend(call),
      lostOutput: partial.lostOutput,
    });
    const close = (): void => {
      feed.hasWriter = false;
      feed.notify();
      this.feeds.leave(run.rowId);
    };
    return { writer, response, partial, messages, meter, close };
  }

  /** Ends a run whose log cannot be read as failed. Returns false when another process has the run. */
  endUnreadable(run: RunRecord): Promise<boolean> {
    return this.recovery.endCorrupt(run);
  }
}

function responseAfter(events: readonly LoggedEvent[]): AgentResponse | undefined {
  const fold = new ResponseFold();
  for (const { event } of events) fold.apply(event);
  return fold.response();
}

/** The model that made the newest answer of earlier attempts; null if none did. */
function answeredBy({ steps }: Pick<PartialState, 'steps'>): string | null {
  return steps.flatMap(({ output }) => (output && modelOfStep(output)) ?? []).at(-1) ?? null;
}
