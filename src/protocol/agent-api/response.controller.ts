import { Controller, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { BackpressureGate } from '../../common/index.js';
import type { AgentResponse } from '../../events/index.js';
import { Runs } from '../../run/index.js';
import { requestPrincipal, ShapePipe, SseGet, StreamGate } from '../http/index.js';
import { AgentApiReader } from './agent-api.reader.js';
import { ApiAgentStream, ApiRoute } from './api-docs.js';
import { ResumeQueryDto } from './dto/resume-query.dto.js';

/** `GET /process/{responseId}`: a run as it stands, or the rest of its stream. */
@ApiTags('Agent API')
@Controller()
export class ResponseController {
  constructor(
    private readonly runs: Runs,
    private readonly reader: AgentApiReader,
  ) {}

  @SseGet('process/:responseId')
  @ApiAgentStream()
  @ApiRoute(
    'Read a run',
    'The response as it stands; with stream=true the events after `starting_after`, then the live ones.',
    [400, 404, 409],
  )
  async read(
    @Param('responseId') responseId: string,
    @Query(new ShapePipe(ResumeQueryDto)) query: ResumeQueryDto,
    @StreamGate() gate: BackpressureGate,
  ): Promise<Observable<readonly string[]> | AgentResponse> {
    const principal = requestPrincipal(undefined);
    if (query.stream !== 'true') return this.runs.response(principal, responseId);
    return this.reader.resume(principal, responseId, Number(query.starting_after ?? -1), gate);
  }
}
