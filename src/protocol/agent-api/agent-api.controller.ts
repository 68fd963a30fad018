import { Caller, namedUser, Needs } from '../../access/index.js';
import { Body, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { AppError } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { ShapePipe, SseGet, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { RunStreams, WireController } from '../wire/index.js';
import { AgentApiWire } from './agent-api.wire.js';
import { ApiAgentRequest, ApiAgentStream, ApiRoute } from './api-docs.js';
import { StopAnswerDto } from './dto/answers.dto.js';
import { STOP_EXAMPLES } from './dto/examples.js';
import { ProcessQueryDto } from './dto/process-query.dto.js';
import { ResumeQueryDto } from './dto/resume-query.dto.js';
import { StopRequestDto } from './dto/stop-request.dto.js';
import { withOpenCallsLast } from './terminal-output.js';

/** A stream of events, or one JSON response. */
type Answer = Observable<readonly string[]> | object;

/** `/process` and `/stop` (contract agent-api, sections a.1 and a.4). */
@ApiTags('Agent API')
@Needs('runs:write')
@WireController(AgentApiWire)
export class AgentApiController {
  constructor(
    private readonly runs: Runs,
    private readonly streams: RunStreams,
    private readonly wire: AgentApiWire,
  ) {}

  @SsePost('process')
  @ApiAgentRequest()
  @ApiAgentStream()
  @ApiRoute(
    'Run the agent',
    'Starts a run and streams its events. The run continues when the client leaves.',
    [400, 409, 413, 415, 429, 503],
  )
  async process(
    @Body() body: unknown,
    @Query(new ShapePipe(ProcessQueryDto)) query: ProcessQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    const { request, stream } = await this.wire.decode(body, caller);
    const { run } = await this.runs.accept({ ...request, onBusy: query.multitask ?? request.onBusy });
    client.reply.headers({ 'content-location': `/process/${encodeURIComponent(run.runId)}`, 'x-run-id': run.runId });
    const options = { wire: this.wire, onDisconnect: query.on_disconnect };
    return stream ? this.streams.follow(run, client, options).events() : this.streams.result(run, client, options);
  }

  @SseGet('process/:responseId')
  @Needs('runs:read')
  @ApiAgentStream()
  @ApiRoute(
    'Read a run',
    'The response as it is now; with stream=true the events after `starting_after`, then the live ones.',
    [400, 404, 409],
  )
  async read(
    @Param('responseId') responseId: string,
    @Query(new ShapePipe(ResumeQueryDto)) query: ResumeQueryDto,
    @Caller() { reach }: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    if (query.stream !== 'true') return withOpenCallsLast(await this.runs.response(reach, responseId));
    const run = await this.runs.view(reach, responseId);
    const after = Number(query.starting_after ?? -1);
    const cursor = { seen: after + 1, ahead: (count: number) => cursorAhead(after, count - 1) };
    return (await this.streams.resume(run, client, { wire: this.wire, cursor })).events();
  }

  @Post('stop')
  @HttpCode(200)
  @ApiBody({ type: StopRequestDto, examples: STOP_EXAMPLES })
  @ApiOkResponse({ type: StopAnswerDto })
  @ApiRoute(
    'Stop runs',
    'Stops the runs of a session, or one run. It is not an error if nothing is running.',
    [400, 404],
  )
  async stop(
    @Body(new ShapePipe(StopRequestDto)) request: StopRequestDto,
    @Caller() caller: Caller,
  ): Promise<StopAnswerDto> {
    const { session_id: sessionId, response_id: runId } = request;
    const user = namedUser('user_id', request.user_id);
    if (runId !== undefined) {
      const reach = caller.reachOf(user);
      const { finishedAt, state } = await this.runs.view(reach, runId);
      // An interrupted run has ended, but what it waits for can still be closed.
      const isOver = finishedAt !== null && state !== 'interrupted';
      if (!isOver) await this.runs.cancel(reach, runId);
      return { status: 'ok', stopped: isOver ? [] : [runId] };
    }
    if (sessionId === undefined) throw new AppError('MISSING_PARAMETER', 'session_id or response_id is required');
    const principal = await this.wire.ownerOf(caller, sessionId, user);
    return { status: 'ok', stopped: await this.runs.cancelSession(principal, sessionId) };
  }
}

function cursorAhead(startingAfter: number, lastNumber: number): AppError {
  const message = `starting_after is ${startingAfter}, but the last event of this run has the sequence_number ${lastNumber}`;
  return new AppError('CURSOR_AHEAD', message, { details: [{ path: 'starting_after', message }] });
}
