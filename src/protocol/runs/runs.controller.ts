import { Headers, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Caller, Needs } from '../../access/index.js';
import { acceptedLocale } from '../../common/index.js';
import { BodyLimit, DtoPipe, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { Decode, Decoded, RunStreams, WireController } from '../wire/index.js';
import { ApiRunsRoute } from './api-docs.js';
import { RUN_EXAMPLES } from './dto/examples.js';
import { SubmitQueryDto } from './dto/queries.dto.js';
import { RunsRunAgentInputDto } from './dto/run-input.dto.js';
import { TaskAcceptedDto } from './dto/runs.dto.js';
import type { RunInput } from './input/run-input.js';
import { MAX_BODY_BYTES } from './input/rules.js';
import { RunInputReader } from './run-input.reader.js';
import { RunSubmission, type TaskAccepted } from './run-submission.js';
import { addressOf, clientRunId } from './run-names.js';
import { RunsWire } from './runs.wire.js';

/** `POST /runs` (contract runs-api, sections 2 and 3). */
@ApiTags('Runs')
@Needs('runs:write')
@WireController(RunsWire, 'api/v1/agent')
export class RunsController {
  constructor(
    private readonly submission: RunSubmission,
    private readonly streams: RunStreams,
    private readonly wire: RunsWire,
  ) {}

  @SsePost('runs')
  @Decode(RunInputReader, (inputs, request) => {
    request.query(SubmitQueryDto);
    return inputs.read(request.body, request.caller);
  })
  @BodyLimit(MAX_BODY_BYTES)
  @ApiHeader({ name: 'Accept-Language', required: false, description: 'The language of cards and of texts of tools.' })
  @ApiBody({ type: RunsRunAgentInputDto, examples: RUN_EXAMPLES })
  @ApiAcceptedResponse({ type: TaskAcceptedDto, description: 'The run is committed.' })
  @ApiRunsRoute(
    'Start a run',
    'Accepts a run. The same request again gets the same answer and `Idempotency-Replayed: true`. The run continues when its client disconnects.',
    [400, 404, 409, 413, 415, 422, 429, 503],
  )
  async submit(
    @Decoded() input: RunInput,
    @Query(DtoPipe) query: SubmitQueryDto,
    @Headers() headers: RunHeaders,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Observable<readonly string[]> | TaskAccepted> {
    const { reply } = client;
    const options = { onBusy: query.multitask ?? 'enqueue', locale: acceptedLocale(headers['accept-language']) };
    const { answer, replayed, run } = await this.submission.submit(caller, input, options);
    reply.header('location', addressOf(answer.threadId, answer.runId));
    if (replayed) reply.header('idempotency-replayed', 'true');
    const wantsStream = query.prefer === 'stream' || (query.prefer === undefined && acceptsStream(headers.accept));
    if (wantsStream) {
      reply.header('content-location', addressOf(run.sessionId, clientRunId(run)));
      const { wire } = this;
      const encoder = wire.encoders.all(run);
      const options = { wire, encoder, onDisconnect: query.on_disconnect, lifetimeMs: wire.lifetimeMs };
      return this.streams.follow(run, client, options).events();
    }
    reply.status(202);
    return answer;
  }
}

/** The headers of a request that count. */
interface RunHeaders {
  readonly accept?: string;
  readonly 'accept-language'?: string;
}

/** True for a client that names event streams and prefers them. */
function acceptsStream(accept: string | undefined): boolean {
  return accept?.split(',').some((part) => part.trim().toLowerCase().startsWith('text/event-stream')) ?? false;
}
