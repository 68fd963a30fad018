import { Injectable } from '@nestjs/common';
import { concat, from, map, of } from 'rxjs';
import type { Caller } from '../../access/index.js';
import { AppError, Clock, type JsonObject } from '../../common/index.js';
import { type StreamClient, toHttpError } from '../http/index.js';
import { type CallAnswer, CallService } from './call.service.js';
import { type Frames, hasPrimer, SILENCE_MS } from './call-streams.js';
import type { ToolCallRequest } from './call-submission.js';
import { Calls, type McpCall } from './calls.js';
import { answeringTo, resultMessage } from './fold/result-message.js';
import { KEEP_ALIVE_FRAME, messageFrame, primerFrame } from './mcp.encoder.js';
import { errorAnswer, McpError, rpcError } from './mcp.errors.js';
import { McpServerSettings } from './mcp-server.settings.js';
import type { CallData, RpcId } from './mcp.types.js';
import { isRpcId } from './rpc/rpc-message.js';

/** The longest time that `get_answer` waits, in seconds. */
export const LONGEST_WAIT = 50;

/** Where a stream of `get_answer` continues. The id of its first event holds it, so that any instance can continue it. */
interface Place {
  readonly runId: string;
  /** Of the request that is answered. */
  readonly id: RpcId;
  /** How long it waits: milliseconds since the epoch. */
  readonly until: number;
}

const PLACE = /^(.{1,256})\.answer\.([\w-]{1,3000})$/;
const READ = /^.{1,256}\.answered$/;

/** Waits for answers of calls: as a stream if it takes long (contract mcp-server, section 5). */
@Injectable()
export class AnswerStreams {
  constructor(
    private readonly calls: Calls,
    private readonly service: CallService,
    private readonly settings: McpServerSettings,
    private readonly clock: Clock,
  ) {}

  /** What became of a call, once it is over or the time is: JSON if that is soon and the client wants no progress. */
  async open(call: McpCall, request: ToolCallRequest, seconds: number, client: StreamClient): Promise<CallAnswer> {
    const { id, peer, token } = request;
    const until = this.clock.now() + seconds * 1000;
    const work = this.answer(call, answeringTo(request), until, client);
    if (!peer.readsStreams) return work;
    const quick = token === undefined ? await within(work, SILENCE_MS) : undefined;
    return quick ?? this.frames(work, { runId: call.first.runId, id, until }, peer);
  }

  /** Whether an event id is one of these streams. */
  isOne(eventId: string): boolean {
    return PLACE.test(eventId) || READ.test(eventId);
  }

  /**
   * The rest of a stream; undefined if the client has all of it.
   *
   * @param version of the session
   * @throws McpError INVALID_PARAMS with the status 400 for an id that the server has not made, or a run of somebody else
   */
  async rest(eventId: string, version: string, caller: Caller, client: StreamClient): Promise<Frames | undefined> {
    if (READ.test(eventId)) return undefined;
    const place = placeIn(eventId);
    const call = place && (await this.callOf(place, caller));
    if (!place || !call) {
      throw new McpError('INVALID_PARAMS', 'Last-Event-ID is of no stream of this session', { status: 400 });
    }
    const until = Math.min(place.until, this.clock.now() + LONGEST_WAIT * 1000);
    return this.frames(this.answer(call, { era: 'legacy', id: place.id }, until, client), place, {
      era: 'legacy',
      version,
    });
  }

  private async answer(
    call: McpCall,
    to: Pick<CallData, 'era' | 'id'>,
    until: number,
    client: StreamClient,
  ): Promise<JsonObject> {
    return resultMessage(to, await this.service.current(call, until - this.clock.now(), client));
  }

  private async callOf({ runId }: Place, { reach }: Caller): Promise<McpCall | undefined> {
    try {
      return await this.calls.find(reach, runId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** An answer that comes late. */
  private frames(work: Promise<JsonObject>, place: Place, { era, version }: Pick<CallData, 'era' | 'version'>): Frames {
    const answer = work.catch((error: unknown) => errorAnswer(place.id, rpcError(toHttpError(error), error)));
    const eventId = eventIdOf(place);
    const canResume = hasPrimer({ version }) && PLACE.test(eventId);
    const head = canResume ? primerFrame(eventId, this.settings.retryMs) : KEEP_ALIVE_FRAME;
    const lastId = era === 'legacy' ? `${place.runId}.answered` : undefined;
    return concat(of([head]), from(answer).pipe(map((json) => [messageFrame(json, lastId)])));
  }
}

function eventIdOf({ runId, id, until }: Place): string {
  return `${runId}.answer.${Buffer.from(JSON.stringify([id, until])).toString('base64url')}`;
}

function placeIn(eventId: string): Place | undefined {
  const [, runId = '', text = ''] = PLACE.exec(eventId) ?? [];
  try {
    const [id, until] = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    return isRpcId(id) && typeof until === 'number' ? { runId, id, until } : undefined;
  } catch {
    return undefined;
  }
}

/** The value of a promise if it has one in time. @throws what it is rejected with in time */
async function within<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), milliseconds)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
