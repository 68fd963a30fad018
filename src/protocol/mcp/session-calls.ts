import { Injectable } from '@nestjs/common';
import type { RunView } from '../../run/index.js';
import type { StreamClient } from '../http/index.js';
import { CallService } from './call.service.js';
import type { Frames } from './call-streams.js';
import { CallWaits } from './call-waits.js';
import { Calls, type McpCall } from './calls.js';
import { StreamEnds } from './stream-ends.js';

/** The calls of sessions. */
@Injectable()
export class SessionCalls {
  constructor(
    private readonly calls: Calls,
    private readonly waits: CallWaits,
    private readonly service: CallService,
    private readonly ends: StreamEnds,
  ) {}

  /** The call of a run. */
  of(run: RunView): Promise<McpCall> {
    return this.calls.of(run);
  }

  /** Cancels the call of a run. */
  async cancel(run: RunView): Promise<void> {
    await this.waits.cancel(await this.calls.of(run));
  }

  /** The messages behind those that the client has; undefined if it has all of them, and none will follow. */
  async rest(run: RunView, call: McpCall, seen: number, client: StreamClient): Promise<Frames | undefined> {
    if (!call.data || (await this.ends.isRead(run, call, seen))) return undefined;
    client.reply.header('x-run-id', run.runId);
    return this.service.rest(run, seen, call.data, client);
  }
}
