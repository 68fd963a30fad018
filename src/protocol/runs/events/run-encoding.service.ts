import { Injectable } from '@nestjs/common';
import { userReach } from '../../../common/index.js';
import { Dispatcher, Runs, type RunView } from '../../../run/index.js';
import { Sessions } from '../../../agent/session/index.js';
import { type AgUiMessage, toAgUiMessages } from '../../ag-ui-events/index.js';
import { withPlainAddresses } from '../history/image-address.js';
import { RunsEncoder, type RunsEncoderOptions } from '../runs.encoder.js';
import { SnapshotEncoder } from './snapshot.encoder.js';

/** The newest messages of earlier runs that a snapshot shows, at most. */
const HISTORY_LIMIT = 2000;

/** What all encoders of the server have. */
type SharedOptions = Required<Pick<RunsEncoderOptions, 'history' | 'isStopping'>>;

/** Makes the encoders of runs, which read the thread's earlier messages when they need them. */
@Injectable()
export class RunEncodingService {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** Shows all events. */
  all(run: RunView): RunsEncoder {
    return new RunsEncoder(run, this.options(run));
  }

  /** Shows all events, for the route that shows any run in the frames of any wire. */
  attached(run: RunView): RunsEncoder {
    return new RunsEncoder(run, { isAttached: true, ...this.options(run) });
  }

  /** Shows the events after those that the view counts. */
  fromNow(run: RunView): RunsEncoder {
    return new RunsEncoder(run, { hiddenUpTo: run.lastSeq, ...this.options(run) });
  }

  /** Shows the state of the run, then its later events. */
  fromSnapshot(run: RunView): SnapshotEncoder {
    return new SnapshotEncoder(run, this.options(run));
  }

  private options(run: RunView): SharedOptions {
    return {
      history: () => this.historyBefore(run),
      isStopping: () => !this.dispatcher.accepting,
    };
  }

  /** The messages of a thread before a run's output, its input included. */
  async historyBefore(run: RunView): Promise<readonly AgUiMessage[]> {
    const before = await this.sessions.before(run, run, { limit: HISTORY_LIMIT });
    const messages = [...before.map(({ message }) => message), ...(await this.runs.input(userReach(run), run.runId))];
    return toAgUiMessages(messages.map(withPlainAddresses), 'v1');
  }
}
