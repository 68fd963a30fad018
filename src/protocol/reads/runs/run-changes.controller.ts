import { Controller, Query, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Caller, Needs } from '../../../access/index.js';
import type { AbortLike, Reach } from '../../../common/index.js';
import { type ListChanges, RunQueries } from '../../../run/index.js';
import { dataFrame, eventFrame, DtoPipe, SseGet, type StreamClient, StreamFor } from '../../http/index.js';
import { RunStreams, WireInterceptor } from '../../wire/index.js';
import { StreamRoute } from '../api-docs.js';
import { ReaderQueryDto } from '../dto/queries.dto.js';
import { listReach } from '../reading.js';
import { runSummary } from './run.mapper.js';

/** Changes that wait for a slow reader; beyond them the stream ends, and the reader lists again. */
const WAITING_LIMIT = 10_000;
const EXAMPLE = `data: {"id":"response_1","status":"running","queuePosition":null}

event: removed
data: {"id":"response_2","userId":"ana"}
`;

/** Changes of the runs that a list shows (contract console, section 2.3). */
@ApiTags('Runs of all wires')
@Needs('runs:read')
@Controller('api/v1/runs/stream')
@UseInterceptors(WireInterceptor)
export class RunChangesController {
  constructor(
    private readonly queries: RunQueries,
    private readonly streams: RunStreams,
  ) {}

  @SseGet('')
  @StreamRoute(
    'Follow the list of runs',
    'Each run that is created or changes, as in the list, and an event `removed` for each that is removed, within about a second. The stream begins with now and has no cursor: after connecting, list the runs once.',
    [400, 403],
    EXAMPLE,
  )
  stream(
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Observable<readonly string[]> {
    const reach = listReach(caller, user);
    return this.streams.followLive(client, (signal) => this.frames(reach, signal)).events();
  }

  private async *frames(reach: Reach, signal: AbortLike): AsyncGenerator<readonly string[], void, void> {
    let waiting: string[] = [];
    let wake: () => void = () => undefined;
    const stop = await this.queries.follow(reach, (changes) => {
      waiting.push(...framesOf(changes));
      wake();
    });
    const onAbort = (): void => wake();
    signal.addEventListener('abort', onAbort);
    try {
      yield [': listening\n\n'];
      while (!signal.aborted && waiting.length <= WAITING_LIMIT) {
        if (waiting.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const frames = waiting;
        waiting = [];
        yield frames;
      }
    } finally {
      stop();
      signal.removeEventListener('abort', onAbort);
    }
  }
}

/** Events without a name are runs as in the list. */
function framesOf({ changed, removed }: ListChanges): readonly string[] {
  return [
    ...changed.map((run) => dataFrame(JSON.stringify(runSummary(run)))),
    ...removed.map(({ runId, userId }) => eventFrame(JSON.stringify({ id: runId, userId }), { event: 'removed' })),
  ];
}
