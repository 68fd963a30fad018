import { Injectable } from '@nestjs/common';
import { AppError, type JsonObject } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import type { StreamClient } from '../http/index.js';
import { callDataOf } from './call-data.js';
import { type Frames, CallStreams, SILENCE_MS } from './call-streams.js';
import type { ToolCallRequest } from './call-submission.js';
import { CallWaits } from './call-waits.js';
import { Calls, type McpCall } from './calls.js';
import { callResult } from './fold/call-result.js';
import { resultMessage } from './fold/result-message.js';
import { McpServerSettings } from './mcp-server.settings.js';
import type { CallData } from './mcp.types.js';
import { TasksService } from './tasks.service.js';

/** What a request is answered with: JSON, or the frames of a stream. */
export type CallAnswer = JsonObject | Frames;

/** Answers calls: with a result, a stream, a task, or what there is so far (contract mcp-server, section 5). */
@Injectable()
export class CallService {
  constructor(
    private readonly streams: CallStreams,
    private readonly calls: Calls,
    private readonly waits: CallWaits,
    private readonly tasks: TasksService,
    private readonly settings: McpServerSettings,
  ) {}

  /** Follows a run of a call until its request is answered. */
  async answer(run: RunView, request: ToolCallRequest, client: StreamClient): Promise<CallAnswer> {
    const data = answeringData(run, request);
    const { peer } = request;
    if (peer.hasTasks) return this.taskOr(run, data, client);
    // A repeated request of a session does not wait longer than the first one.
    const age = peer.session === undefined ? 0 : this.calls.ageOf(run);
    const withinMs = this.settings.callWaitMs - age;
    if (peer.readsStreams && data.token !== undefined) return this.streams.open(run, data, client, { withinMs });
    const quietMs = Math.min(withinMs, peer.readsStreams ? SILENCE_MS : Number.POSITIVE_INFINITY);
    const since = performance.now();
    const { message, fold } = await this.streams.quiet(run, data, client.gone, quietMs);
    if (message?.isResult === true) return message.json;
    if (client.gone.aborted) {
      if (peer.era === 'modern') await this.waits.cancel(await this.calls.of(run));
      return fold.early();
    }
    const hasMore = message !== undefined || quietMs < withinMs;
    if (!peer.readsStreams || !hasMore) return fold.early();
    return this.streams.open(run, data, client, { withinMs: withinMs - (performance.now() - since) });
  }

  /** What became of a call, once it is over or the time is. */
  async current(call: McpCall, withinMs: number, client: StreamClient): Promise<JsonObject> {
    return callResult(await this.calls.outcome(await this.waits.settled(call, withinMs, client.gone)));
  }

  /** The rest of the stream of a session; undefined if the client has all of it. */
  async rest(run: RunView, seen: number, data: CallData, client: StreamClient): Promise<Frames> {
    const call = await this.calls.of(run);
    const withinMs = this.settings.callWaitMs - this.calls.ageOf(call.first);
    return this.streams.open(run, data, client, { withinMs, seen });
  }

  private async taskOr(run: RunView, data: CallData, client: StreamClient): Promise<JsonObject> {
    const { message } = await this.streams.quiet(run, data, client.gone, this.settings.taskAfterMs);
    if (message?.isResult === true && !isQuestion(message.json)) return message.json;
    return resultMessage(data, await this.tasks.created(await this.calls.of(run)));
  }
}

/** How a run is told to whoever asks for it now. */
export function answeringData(run: RunView, { id, token, peer, caller }: ToolCallRequest): CallData {
  const kept = callDataOf(run);
  if (!kept) throw new AppError('RUN_NOT_FOUND');
  const { token: _kept, ...rest } = kept;
  const asks = peer.hasForms && caller.scopes.has('approvals:decide');
  return { ...rest, era: peer.era, version: peer.version, id, asks, ...(token !== undefined && { token }) };
}

function isQuestion({ result }: JsonObject): boolean {
  return (result as JsonObject | undefined)?.['resultType'] === 'input_required';
}
