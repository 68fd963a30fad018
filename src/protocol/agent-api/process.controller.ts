import { Body, Controller, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { BackpressureGate } from '../../common/index.js';
import type { AgentResponse } from '../../events/index.js';
import { Runs } from '../../run/index.js';
import { ClientGone, ShapePipe, SsePost, StreamGate } from '../http/index.js';
import { AgentApiReader } from './agent-api.reader.js';
import type { AgentRequest } from './agent-request.decoder.js';
import { AgentRequestPipe } from './agent-request.pipe.js';
import { ApiAgentRequest, ApiAgentStream, ApiRoute } from './api-docs.js';
import { ProcessQueryDto } from './dto/process-query.dto.js';

/** `POST /process` (contract agent-api, sections a.1 and a.4). */
@ApiTags('Agent API')
@Controller()
export class ProcessController {
  constructor(
    private readonly runs: Runs,
    private readonly reader: AgentApiReader,
  ) {}

  @SsePost('process')
  @ApiAgentRequest()
  @ApiAgentStream()
  @ApiRoute(
    'Run the agent',
    'Starts a run and streams its events. The run goes on when the client leaves.',
    [400, 409, 413, 415, 429, 503],
  )
  async process(
    @Body(AgentRequestPipe) request: AgentRequest,
    @Query(new ShapePipe(ProcessQueryDto)) query: ProcessQueryDto,
    @StreamGate() gate: BackpressureGate,
    @ClientGone() gone: AbortSignal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Observable<readonly string[]> | AgentResponse> {
    const { run, stream } = request;
    const { runId } = await this.runs.accept({ ...run, onBusy: query.multitask ?? run.onBusy });
    reply.headers({ 'content-location': `/process/${encodeURIComponent(runId)}`, 'x-run-id': runId });
    const reading = { principal: run.principal, runId, cancelWhenLeft: query.on_disconnect === 'cancel' };
    return stream ? this.reader.live(reading, gate, gone) : this.reader.result(reading, gone);
  }
}
