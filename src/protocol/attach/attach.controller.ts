import { Controller, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { Demand } from '../../common/index.js';
import { headerText, requestPrincipal, ShapePipe, SseGet, StreamDemand } from '../http/index.js';
import { AttachQueryDto } from './attach-query.dto.js';
import { AttachReader } from './attach.reader.js';

/** `GET /runs/{runId}/events`: any run, in any wire's frames. */
@ApiTags('Attach')
@Controller('runs')
export class AttachController {
  constructor(private readonly reader: AttachReader) {}

  @SseGet(':runId/events')
  @ApiOperation({
    summary: 'Watch a run',
    description:
      'Streams a run, live or finished, in the frames of any wire, whichever wire started it. The frames are the ones that wire itself writes; leaving does not stop the run.',
  })
  @ApiResponse({
    status: 200,
    description: 'Server-sent events of the wire that `protocol` names.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  @ApiResponse({ status: 400, description: 'There is no such wire, or the cursor is no number.' })
  @ApiResponse({ status: 404, description: 'There is no such run.' })
  @ApiResponse({ status: 409, description: 'The run has fewer frames than `after` says.' })
  @ApiResponse({ status: 410, description: 'The events of this run are no longer kept.' })
  events(
    @Param('runId') runId: string,
    @Query(new ShapePipe(AttachQueryDto)) query: AttachQueryDto,
    @StreamDemand() demand: Demand,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Observable<readonly string[]>> {
    reply.header('x-run-id', headerText(runId));
    const { protocol = 'agent-api', after = '0', follow = 'run' } = query;
    const attachment = { principal: requestPrincipal(undefined), runId, protocol, after: Number(after), follow };
    return this.reader.attach(attachment, demand);
  }
}
