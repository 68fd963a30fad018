import { Headers, Param, Query } from '@nestjs/common';
import { ApiHeader, ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Caller, Needs } from '../../access/index.js';
import { ERROR_CATALOGUE } from '../../common/index.js';
import { DtoPipe, SseGet, type StreamClient, StreamFor } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { ApiRunsRoute, ApiRunsStream } from './api-docs.js';
import { EventsQueryDto } from './dto/events-query.dto.js';
import { formatEventId, parseEventId } from './events/event-id.js';
import { type EventsAnswer, RunEvents } from './events/run-events.js';
import { RunLookup } from './run-lookup.js';
import { addressOf, clientRunId } from './run-names.js';
import { RunsWire } from './runs.wire.js';

/** `GET /runs/{threadId}/events` (contract runs-api, section 5). */
@ApiTags('Runs')
@Needs('runs:read')
@WireController(RunsWire, 'api/v1/agent')
export class RunEventsController {
  constructor(
    private readonly events: RunEvents,
    private readonly lookup: RunLookup,
  ) {}

  @SseGet('runs/:threadId/events')
  @ApiRunsStream()
  @ApiNoContentResponse({ description: 'The run has ended, and the cursor is its terminal event.' })
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The id of the last event that the client has received.',
  })
  @ApiRunsRoute(
    'Read events',
    'The events after the cursor, then live events until the terminal event. The bytes are the same from any cursor.',
    [400, 404, 409, 410, 503],
  )
  async read(
    @Param('threadId') threadId: string,
    @Query(DtoPipe) query: EventsQueryDto,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Observable<readonly string[]> | object | undefined> {
    const request = {
      threadId,
      runId: query.runId,
      cursor: parseEventId(lastEventId ?? query.lastEventId),
      from: query.from ?? 'start',
      follow: query.follow ?? 'run',
    };
    const { reply } = client;
    const answer = await this.events.answer(await this.lookup.ownerOf(caller, threadId), request, client);
    if (answer.kind === 'stream') {
      const { run, stream } = answer;
      if (run) reply.header('content-location', addressOf(run.sessionId, clientRunId(run)));
      return stream.events();
    }
    if (answer.kind === 'expired') {
      reply.status(410);
      return expired(answer, reply.request.id);
    }
    reply.status(204);
    return undefined;
  }
}

type Expired = Extract<EventsAnswer, { readonly kind: 'expired' }>;

/** The body for a run whose events were removed. */
function expired({ run, lastSeq }: Expired, requestId: string): object {
  const path = `/api/v1/agent/runs/${encodeURIComponent(run.sessionId)}/events`;
  const snapshotUrl = `${path}?runId=${encodeURIComponent(clientRunId(run))}&from=snapshot`;
  const { message } = ERROR_CATALOGUE.EVENTS_EXPIRED;
  const earliestEventId = lastSeq === undefined ? null : formatEventId({ ordinal: run.ordinal, seq: lastSeq });
  return { code: 'events_expired', message, earliestEventId, snapshotUrl, requestId };
}
