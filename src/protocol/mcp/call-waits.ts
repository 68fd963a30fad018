import { Injectable } from '@nestjs/common';
import { type AbortLike, Clock, type Origin, userReach } from '../../common/index.js';
import { withinTime } from '../../runtime/index.js';
import { Runs } from '../../run/index.js';
import { RunStreams } from '../wire/index.js';
import { Calls, type McpCall } from './calls.js';

/** How often a call that waits for a person is looked at, in milliseconds. */
export const LOOK_MS = 1000;
/** How long stopping a call waits for its end, in milliseconds. */
const STOP_MS = 10_000;

/** Waits for calls, and stops them. */
@Injectable()
export class CallWaits {
  constructor(
    private readonly runs: Runs,
    private readonly streams: RunStreams,
    private readonly calls: Calls,
    private readonly clock: Clock,
  ) {}

  /** Waits until nothing follows, the time is over, or the client leaves. Returns the call as it is then. */
  async settled(call: McpCall, withinMs: number, gone?: AbortLike): Promise<McpCall> {
    const until = this.clock.now() + withinMs;
    let current = call;
    for (;;) {
      const left = until - this.clock.now();
      if (this.calls.isOver(current) || left <= 0 || gone?.aborted === true) return current;
      const isWaiting = current.state === 'waiting';
      const isStopped = await this.changed(current, isWaiting ? Math.min(left, LOOK_MS) : left, gone);
      current = await this.calls.of(current.last);
      if (isStopped) return current;
    }
  }

  /** Stops a call, and waits for its end; what it asks is given up. */
  async stop(call: McpCall, by: Origin): Promise<McpCall> {
    if (this.calls.isOver(call)) return call;
    await this.runs.cancel(userReach(call.last), call.last.runId, { by });
    return this.settled(await this.calls.of(call.last), STOP_MS);
  }

  /** Stops a call without waiting. @param by absent: its client has left */
  async cancel(call: McpCall, by?: Origin): Promise<void> {
    if (!this.calls.isOver(call)) await this.runs.cancel(userReach(call.last), call.last.runId, by ? { by } : {});
  }

  /** Waits for the end of the last run, or for the next one. True if the server stops. */
  private changed({ last, state }: McpCall, withinMs: number, gone: AbortLike | undefined): Promise<boolean> {
    return withinTime(gone, withinMs, async (signal) => {
      const found =
        state === 'waiting'
          ? await this.runs.next(last, last.sessionId, last.ordinal, signal)
          : await this.streams.ended(last, signal);
      return found === undefined && !signal.aborted;
    });
  }
}
