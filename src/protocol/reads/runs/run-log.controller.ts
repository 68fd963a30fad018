import { Controller, Get, Header, Param, Query, Res, StreamableFile, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { Caller, Needs } from '../../../access/index.js';
import { ActiveStreams, DtoPipe, SseGet, type StreamClient, StreamFor } from '../../http/index.js';
import { WireInterceptor } from '../../wire/index.js';
import { ReadRoute, ReconnectHeader, StreamRoute } from '../api-docs.js';
import { EventPageDto, JournalDto, TimelineDto } from '../dto/log.dto.js';
import { EventsPageQueryDto, FramesQueryDto, ReaderQueryDto, StreamQueryDto } from '../dto/queries.dto.js';
import { cursorOf, readReach } from '../reading.js';
import { RunFramesService } from './run-frames.service.js';
import { RunLogService } from './run-log.service.js';

const EVENT_EXAMPLE = `id: 0
data: {"seq":0,"at":"2026-01-31T12:00:00.000Z","type":"response","event":{"object":"response","status":"created"}}
`;
const FRAME_EXAMPLE = `id: 1
data: {"index":1,"frame":"data: {\\"type\\":\\"RUN_STARTED\\"}\\n\\n"}
`;

/** The log of a run, whichever wire began it (contract console, section 3). */
@ApiTags('Runs of all wires')
@Needs('runs:read')
@Controller('api/v1/runs/:id')
@UseInterceptors(WireInterceptor)
export class RunLogController {
  constructor(
    private readonly log: RunLogService,
    private readonly frames: RunFramesService,
    private readonly active: ActiveStreams,
  ) {}

  @Get('timeline')
  @ApiOkResponse({ type: TimelineDto })
  @ReadRoute(
    'The timeline of a run',
    'Spans of model calls, tool calls, waits, approvals and recoveries, made from the journal and the log.',
    [403, 404, 409],
  )
  timeline(
    @Param('id') id: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
  ): Promise<TimelineDto> {
    return this.log.timeline(readReach(caller, user), id);
  }

  @Get('steps')
  @ApiOkResponse({ type: JournalDto })
  @ReadRoute(
    'The journal of a run',
    'In the order its steps began. Empty once the events were removed.',
    [403, 404, 409],
  )
  steps(
    @Param('id') id: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
  ): Promise<JournalDto> {
    return this.log.steps(readReach(caller, user), id);
  }

  @Get('events')
  @ApiOkResponse({ type: EventPageDto })
  @ReadRoute(
    'The events of a run',
    'In order. Events are numbered without gaps, so `after` reaches any place of a long log at once.',
    [400, 403, 404, 409, 410],
  )
  events(
    @Param('id') id: string,
    @Query(DtoPipe) query: EventsPageQueryDto,
    @Caller() caller: Caller,
  ): Promise<EventPageDto> {
    return this.log.events(readReach(caller, query.user), id, query);
  }

  @Get('events.jsonl')
  @Header('cache-control', 'no-store')
  @ApiOkResponse({
    description: 'One event per line, as in the list.',
    content: { 'application/x-ndjson': { schema: { type: 'string' } } },
  })
  @ReadRoute('Download the events of a run', 'Those that are committed when the download begins.', [403, 404, 409, 410])
  async download(
    @Param('id') id: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const lines = await this.log.download(readReach(caller, user), id);
    reply.header('content-disposition', 'attachment; filename="events.jsonl"');
    return this.active.download(lines, 'application/x-ndjson', reply);
  }

  @SseGet('events/stream')
  @ReconnectHeader()
  @StreamRoute(
    'Follow the events of a run',
    'The committed events after `after`, then live ones. The stream ends with the terminal event; reconnecting afterwards is answered with 204.',
    [400, 403, 404, 409, 410],
    EVENT_EXAMPLE,
  )
  async stream(
    @Param('id') id: string,
    @Query(DtoPipe) { user, after }: StreamQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Observable<readonly string[]> | undefined> {
    const cursor = cursorOf(lastEventId(client), after) ?? -1;
    const stream = await this.log.stream(readReach(caller, user), id, cursor, client);
    if (!stream) client.reply.status(204);
    return stream;
  }

  @SseGet('frames')
  @ReconnectHeader()
  @StreamRoute(
    'Follow a run in the frames of a wire',
    'The frames that this wire would send for the run, from the first one, each as text in a JSON object. Whichever wire began the run; reading changes nothing.',
    [400, 403, 404, 409, 410],
    FRAME_EXAMPLE,
  )
  async follow(
    @Param('id') id: string,
    @Query(DtoPipe) { user, wire = 'agent-api', after }: FramesQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Observable<readonly string[]> | undefined> {
    const seen = cursorOf(lastEventId(client), after) ?? 0;
    const stream = await this.frames.follow(readReach(caller, user), id, { wire, seen }, client);
    if (!stream) client.reply.status(204);
    return stream;
  }
}

function lastEventId({ request }: StreamClient): string | undefined {
  return request.headers['last-event-id']?.toString();
}
