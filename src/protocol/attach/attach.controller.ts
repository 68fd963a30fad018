import { Controller, Param, Query } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import {
  headerText,
  userIdHeader,
  requestPrincipal,
  ShapePipe,
  SseGet,
  type StreamClient,
  StreamFor,
  useControlFrames,
} from '../http/index.js';
import { AttachQueryDto } from './attach-query.dto.js';
import { AttachReader } from './attach.reader.js';
import { eventPlaceOf } from './event-place.js';

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
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'Of a browser’s EventSource that comes again: the id of the last frame it has. Counts before `after`.',
  })
  @ApiHeader({ name: 'X-User-Id', required: false, description: 'A run of another user is unknown then.' })
  @ApiResponse({ status: 204, description: 'The reader that `Last-Event-ID` tells of has all there will ever be.' })
  @ApiResponse({ status: 400, description: 'There is no such wire, or the cursor is none.' })
  @ApiResponse({ status: 404, description: 'There is no such run.' })
  @ApiResponse({ status: 409, description: 'The run has fewer frames than `after` says.' })
  @ApiResponse({ status: 410, description: 'The events of this run are no longer kept.' })
  async events(
    @Param('runId') runId: string,
    @Query(new ShapePipe(AttachQueryDto)) query: AttachQueryDto,
    @StreamFor() { request, reply, gate }: StreamClient,
  ): Promise<Observable<readonly string[]> | undefined> {
    reply.header('x-run-id', headerText(runId));
    const { protocol = 'agent-api', after = '0', follow = 'run' } = query;
    const { tenantId } = requestPrincipal(undefined);
    const place = eventPlaceOf(request.headers['last-event-id']?.toString());
    const attachment = {
      tenantId,
      userId: userIdHeader(request),
      runId,
      protocol,
      after: Number(after),
      place,
      follow,
    };
    const stream = await this.reader.attach(attachment, gate);
    if (!stream) {
      reply.status(204);
      return undefined;
    }
    useControlFrames(request, stream.controlFrames);
    return stream.frames;
  }
}
