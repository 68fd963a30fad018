import { Body, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Caller, namedUser, Needs } from '../../access/index.js';
import { AppError } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { DtoPipe, SseGet, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { Decode, Decoded, RunStreams, startingAfter, WireController } from '../wire/index.js';
import type { AgentRequest } from './agent-api-request.decoder.js';
import { AgentApiWire } from './agent-api.wire.js';
import { ApiAgentRequest, ApiAgentStream, ApiRoute } from './api-docs.js';
import { StopAnswerDto } from './dto/answers.dto.js';
import { STOP_EXAMPLES } from './dto/examples.js';
import { ProcessQueryDto } from './dto/process-query.dto.js';
import { ResumeQueryDto, StopRequestDto } from './dto/agent-request.dto.js';
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
  @Decode(AgentApiWire, (wire, request) => wire.decode(request))
  @ApiAgentRequest()
  @ApiAgentStream()
  @ApiRoute(
    'Run the agent',
    'Starts a run and streams its events. The run continues when the client leaves.',
    [400, 409, 413, 415, 429, 503],
  )
  async process(
    @Decoded() { request, stream }: AgentRequest,
    @Query(DtoPipe) query: ProcessQueryDto,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    const { run } = await this.runs.accept(request);
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
    @Query(DtoPipe) query: ResumeQueryDto,
    @Caller() { reach }: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    if (query.stream !== 'true') return withOpenCallsLast(await this.runs.response(reach, responseId));
    const run = await this.runs.view(reach, responseId);
    const cursor = startingAfter(query.starting_after, 'run');
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
  async stop(@Body(DtoPipe) request: StopRequestDto, @Caller() caller: Caller): Promise<StopAnswerDto> {
    const { session_id: sessionId, response_id: runId } = request;
    const user = namedUser('user_id', request.user_id);
    if (runId !== undefined) {
      const reach = caller.reachOf(user);
      const { finishedAt, state } = await this.runs.view(reach, runId);
      // An interrupted run has ended, but what it waits for can still be closed.
      const isOver = finishedAt !== null && state !== 'interrupted';
      if (!isOver) await this.runs.cancel(reach, runId, { by: caller.origin(user) });
      return { status: 'ok', stopped: isOver ? [] : [runId] };
    }
    if (sessionId === undefined) throw new AppError('MISSING_PARAMETER', 'session_id or response_id is required');
    const principal = await this.wire.ownerOf(caller, sessionId, user);
    return { status: 'ok', stopped: await this.runs.cancelSession(principal, sessionId, caller.origin(user)) };
  }
}
