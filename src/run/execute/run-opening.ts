import { Injectable } from '@nestjs/common';
import { Clock, IdFactory } from '../../common/index.js';
import { ResponseBuilder } from '../../events/index.js';
import { GroupCommit } from '../log/group-commit.js';
import { RunFeeds } from '../log/run-feeds.js';
import { RunWriter } from '../log/run-writer.js';
import type { RunRecord } from '../ports/run-store.js';
import { FinalMessages } from './final-messages.js';
import { finishedMessages, type Remains, RunRecovery } from './run-recovery.js';
import type { RunControl } from './run-control.js';

/** A run that is ready to be executed: its writer, the builder bound to it, and what it has written before. */
export interface OpenRun {
  readonly writer: RunWriter;
  readonly response: ResponseBuilder;
  readonly remains: Remains;
  readonly messages: FinalMessages;
  /** Lets the readers of this process know that no more comes from here. */
  close(): void;
}

/** Opens the log of a claimed run for writing. */
@Injectable()
export class RunOpening {
  constructor(
    private readonly recovery: RunRecovery,
    private readonly commits: GroupCommit,
    private readonly feeds: RunFeeds,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  async open(run: RunRecord, control: RunControl): Promise<OpenRun> {
    const remains = await this.recovery.remains(run);
    const feed = this.feeds.join(run.rowId);
    feed.owned = true;
    const writer = new RunWriter(run, {
      commits: this.commits,
      feed,
      now: () => this.clock.now(),
      leaseUntil: () => control.leaseUntil,
      onLost: () => control.stop('lost'),
    });
    const response = new ResponseBuilder({
      responseId: run.id,
      sessionId: run.sessionId,
      ids: this.ids,
      clock: this.clock,
      sink: (event) => {
        writer.emit(event);
        if (event.object === 'message') writer.say(messages.afterEvent(event));
      },
      ...(remains.response ? { resume: remains.response, retired: remains.retired } : {}),
    });
    const messages = new FinalMessages(response, finishedMessages(remains), remains.joined);
    const close = (): void => {
      feed.owned = false;
      feed.ring();
      this.feeds.leave(run.rowId);
    };
    return { writer, response, remains, messages, close };
  }
}
