import { Body, Controller, Headers, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiHeader, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { acceptedLocale, BackpressureGate } from '../../common/index.js';
import { BodyLimit, requestPrincipal, ShapePipe, SsePost, StreamGate } from '../http/index.js';
import { ApiRunsRoute } from './api-docs.js';
import { RUN_EXAMPLES } from './dto/examples.js';
import { SubmitQueryDto } from './dto/queries.dto.js';
import { RunsRunAgentInputDto } from './dto/run-input.dto.js';
import { TaskAcceptedDto } from './dto/runs.dto.js';
import { RunAnswering } from './events/run-answering.js';
import { MAX_BODY_BYTES } from './input/rules.js';
import type { RunInput } from './input/run-input.js';
import { RunInputPipe } from './run-input.pipe.js';
import { RunSubmission, type TaskAccepted } from './run-submission.js';
import { addressOf } from './run-names.js';

/** `POST /runs` (contract runs-api, sections 2 and 3). */
@ApiTags('Runs')
@Controller('api/v1/agent')
export class RunsController {
  constructor(
    private readonly submission: RunSubmission,
    private readonly answering: RunAnswering,
  ) {}

  @SsePost('runs')
  @BodyLimit(MAX_BODY_BYTES)
  @ApiHeader({ name: 'Accept-Language', required: false, description: 'The language of cards and of tools’ texts.' })
  @ApiBody({ type: RunsRunAgentInputDto, examples: RUN_EXAMPLES })
  @ApiAcceptedResponse({ type: TaskAcceptedDto, description: 'The run is committed.' })
  @ApiRunsRoute(
    'Start a run',
    'Accepts a run. The same request again gets the same answer and `Idempotency-Replayed: true`; it goes on whoever listens.',
    [400, 404, 409, 413, 415, 422, 429, 503],
  )
  async submit(
    @Body(RunInputPipe) input: RunInput,
    @Query(new ShapePipe(SubmitQueryDto)) query: SubmitQueryDto,
    @Headers() headers: RunHeaders,
    @StreamGate() gate: BackpressureGate,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Observable<readonly string[]> | TaskAccepted> {
    const principal = requestPrincipal(undefined);
    const options = { onBusy: query.multitask ?? 'enqueue', locale: acceptedLocale(headers['accept-language']) };
    const { answer, replayed } = await this.submission.submit(principal, input, options);
    reply.header('location', addressOf(answer.threadId, answer.runId));
    if (replayed) reply.header('idempotency-replayed', 'true');
    const wantsStream = query.prefer === 'stream' || (query.prefer === undefined && acceptsStream(headers.accept));
    if (wantsStream) {
      const reading = { gate, cancelWhenLeft: query.on_disconnect === 'cancel' };
      return this.answering.accepted(principal, answer.taskId, reply, reading);
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
