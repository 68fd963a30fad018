import { Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { BackpressureGate, ERROR_CATALOGUE } from '../../common/index.js';
import { requestPrincipal, ShapePipe, SseGet, StreamGate } from '../http/index.js';
import { ApiRunsRoute, ApiRunsStream } from './api-docs.js';
import { EventsQueryDto } from './dto/events-query.dto.js';
import { formatEventId, parseEventId } from './events/event-id.js';
import { RunAnswering } from './events/run-answering.js';
import { type EventsAnswer, RunEvents } from './events/run-events.js';
import { clientRunId } from './run-names.js';

/** `GET /runs/{threadId}/events` (contract runs-api, section 5). */
@ApiTags('Runs')
@Controller('api/v1/agent')
export class RunEventsController {
  constructor(
    private readonly events: RunEvents,
    private readonly answering: RunAnswering,
  ) {}

  @SseGet('runs/:threadId/events')
  @ApiRunsStream()
  @ApiNoContentResponse({ description: 'The run is over and its terminal event is the cursor: nothing more comes.' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'The id of the last event that was read.' })
  @ApiRunsRoute(
    'Read events',
    'The events after the cursor, then the live ones, until the terminal event. From any cursor the bytes are the same.',
    [400, 404, 409, 410, 503],
  )
  async read(
    @Param('threadId') threadId: string,
    @Query(new ShapePipe(EventsQueryDto)) query: EventsQueryDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @StreamGate() gate: BackpressureGate,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Observable<readonly string[]> | object | undefined> {
    const answer = await this.events.answer(requestPrincipal(undefined), {
      threadId,
      runId: query.runId,
      cursor: parseEventId(lastEventId ?? query.lastEventId),
      from: query.from ?? 'start',
      follow: query.follow ?? 'run',
    });
    if (answer.kind === 'stream') return this.answering.observable(answer, reply, { gate });
    if (answer.kind === 'expired') {
      reply.status(410);
      return expired(answer, reply.request.id);
    }
    reply.status(204);
    return undefined;
  }
}

type Expired = Extract<EventsAnswer, { readonly kind: 'expired' }>;

/** What is left of a run whose events are no longer kept. */
function expired({ run, lastSeq }: Expired, requestId: string): object {
  const path = `/api/v1/agent/runs/${encodeURIComponent(run.sessionId)}/events`;
  const snapshotUrl = `${path}?runId=${encodeURIComponent(clientRunId(run))}&from=snapshot`;
  const { message } = ERROR_CATALOGUE.EVENTS_EXPIRED;
  const earliestEventId = lastSeq === undefined ? null : formatEventId({ ordinal: run.ordinal, seq: lastSeq });
  return { code: 'events_expired', message, earliestEventId, snapshotUrl, requestId };
}
