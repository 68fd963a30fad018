import { Injectable } from '@nestjs/common';
import { AppError, type BackpressureGate, type Principal } from '../../../common/index.js';
import type { LoggedEvent } from '../../../events/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import { type SessionMessage, Sessions } from '../../../session/index.js';
import { AgUiFold, type AgUiMessage, toAgUiMessages } from '../../ag-ui-events/index.js';
import { encodeTail } from '../../wire/index.js';
import { withPlainAddresses } from '../history/image-address.js';
import { PrunedRuns } from './pruned-runs.js';
import { RunsEncoder, type RunsEncoderOptions } from './runs.encoder.js';
import { RunSnapshot } from './snapshot.encoder.js';

/** Messages of the past that a snapshot shows at most. */
const HISTORY_LIMIT = 2000;
const PAGE = 500;

/** Who reads which run. */
export interface RunReading {
  readonly principal: Principal;
  readonly run: RunView;
  readonly gate: BackpressureGate;
  readonly signal: AbortSignal;
}

/** The frames of one run: from a cursor, or from where it stands. */
@Injectable()
export class RunStream {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly pruned: PrunedRuns,
  ) {}

  /** The frames after a cursor, live until the terminal event. @throws AppError EVENTS_EXPIRED */
  frames(reading: RunReading, options: RunsEncoderOptions = {}): AsyncIterable<readonly string[]> {
    const encoder = new RunsEncoder(reading.run, options);
    return encodeTail(this.withHistory(reading, encoder), encoder);
  }

  /**
   * First where the run stands, as a snapshot under the last event's id, then its events as they come; of a
   * run whose events were removed, what is kept.
   */
  async *fromSnapshot(reading: RunReading): AsyncGenerator<readonly string[], void, void> {
    try {
      yield* this.fromLog(reading);
    } catch (error) {
      // Told before the first batch: nothing was written yet.
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
      const { principal, run } = reading;
      const frames = await this.pruned.frames(principal, run, await this.historyBefore(reading));
      yield [frames.join('')];
    }
  }

  private async *fromLog(reading: RunReading): AsyncGenerator<readonly string[], void, void> {
    const { run } = reading;
    const encoder = new RunsEncoder(run);
    const snapshot = new RunSnapshot(run);
    let shown = false;
    let at = run.createdAt;
    const show = async (): Promise<readonly string[]> => {
      shown = true;
      return snapshot.events(await this.historyBefore(reading)).map((event) => encoder.frame(event, at));
    };
    for await (const events of this.withHistory(reading, encoder)) {
      const frames: string[] = [];
      for (const event of events) {
        // The end is an event like any other: who comes late gets the snapshot and then the end.
        if (!shown && (event.seq > run.lastSeq || event.isTerminal)) frames.push(...(await show()));
        if (shown) {
          frames.push(...encoder.next(event));
        } else {
          encoder.skip(event);
          snapshot.take(event);
        }
        at = event.at;
      }
      if (!shown && (events.at(-1)?.seq ?? -1) >= run.lastSeq) frames.push(...(await show()));
      if (frames.length > 0) yield [frames.join('')];
    }
  }

  /** The messages of a thread before a run's output, its input included. */
  async historyBefore({ principal, run }: RunReading): Promise<readonly AgUiMessage[]> {
    const before = (await this.messagesBefore(principal, run))
      .sort((a, b) => a.runOrdinal - b.runOrdinal || a.seq - b.seq)
      .map(({ message }) => message);
    const messages = [...before, ...(await this.runs.input(principal, run.runId))];
    return toAgUiMessages(messages.map(withPlainAddresses), 'v1');
  }

  /** The newest messages of earlier runs: always the same ones, however the thread has gone on. */
  private async messagesBefore(principal: Principal, run: RunView): Promise<SessionMessage[]> {
    const found: SessionMessage[] = [];
    for (let before: number | undefined; found.length < HISTORY_LIMIT;) {
      const query = { limit: PAGE, order: 'desc' as const, ...(before !== undefined && { before }) };
      const page = await this.sessions.messages(principal, run.sessionId, query);
      found.push(...page.filter(({ runOrdinal }) => runOrdinal < run.ordinal));
      if (page.length < PAGE) break;
      before = page.at(-1)?.seq;
    }
    return found.slice(0, HISTORY_LIMIT);
  }

  /** The tail of the run; before an event that may show all messages the encoder is told those of the past. */
  private async *withHistory(
    reading: RunReading,
    encoder: RunsEncoder,
  ): AsyncGenerator<readonly LoggedEvent[], void, void> {
    const { principal, run, gate, signal } = reading;
    let known = false;
    for await (const events of this.runs.tail(principal, run.runId, { gate, signal, accepted: true })) {
      if (!known && events.some((event) => AgUiFold.needsHistory(event))) {
        encoder.history = await this.historyBefore(reading);
        known = true;
      }
      yield events;
    }
  }
}
