import { Controller, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Caller, Needs } from '../../../access/index.js';
import { DtoPipe, headerText, SseGet, type StreamClient, StreamFor } from '../../http/index.js';
import { WireInterceptor } from '../../wire/index.js';
import { AttachService } from './attach.service.js';
import { AttachQueryDto } from './dto/attach-query.dto.js';
import { parseLastEventId } from './last-event-id.js';

/** `GET /runs/{runId}/events` (contract attach): any run, in any wire's frames. */
@ApiTags('Attach')
@Needs('runs:read')
@Controller('runs')
@UseInterceptors(WireInterceptor)
export class AttachController {
  constructor(private readonly service: AttachService) {}

  @SseGet(':runId/events')
  @ApiOperation({
    summary: 'Watch a run',
    description:
      'Streams a running or finished run in the frames of any wire, whichever wire has started it. `runId` may also be the `runId` of AG-UI, of which the newest run counts. Disconnecting does not stop the run.',
  })
  @ApiResponse({
    status: 200,
    description: 'Server-sent events of the wire named by `protocol`.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Of a browser’s EventSource that reconnects: the id of the last frame it has. Counts before `after`.',
  })
  @ApiHeader({
    name: 'X-User-Id',
    required: false,
    description: 'The owner of the run; a run of another user is a 404.',
  })
  @ApiResponse({
    status: 204,
    description: 'The reader has every frame up to its `Last-Event-ID`, and none will follow.',
  })
  @ApiResponse({ status: 400, description: 'Unknown wire, or invalid cursor.' })
  @ApiResponse({ status: 404, description: 'Unknown run.' })
  @ApiResponse({ status: 409, description: 'The run has fewer frames than `after`.' })
  @ApiResponse({ status: 410, description: 'The events of this run were removed.' })
  async events(
    @Param('runId') runId: string,
    @Query(DtoPipe) query: AttachQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Observable<readonly string[]> | undefined> {
    const { request, reply } = client;
    const { protocol = 'agent-api', after = '0', follow = 'run' } = query;
    const lastEvent = parseLastEventId(request.headers['last-event-id']?.toString());
    const attachment = { runId, protocol, after: Number(after), lastEvent, follow };
    const { stream, runId: ownId } = await this.service.attach(caller, attachment, client);
    reply.header('x-run-id', headerText(ownId));
    if (!stream) reply.status(204);
    return stream?.events();
  }
}
