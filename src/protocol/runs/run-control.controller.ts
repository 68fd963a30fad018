import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { acceptedLocale, userReach } from '../../common/index.js';
import { Runs, RunSettings } from '../../run/index.js';
import { type StreamClient, StreamFor, toDto } from '../http/index.js';
import { Decode, Decoded, WireController } from '../wire/index.js';
import { ApiRunsRoute } from './api-docs.js';
import { CANCEL_EXAMPLES, RESUME_EXAMPLES } from './dto/examples.js';
import { CancelRequestDto } from './dto/queries.dto.js';
import { ResumeRequestDto } from './dto/resume.dto.js';
import { RunViewDto, TaskAcceptedDto } from './dto/runs.dto.js';
import { decodeResume, type ResumeRequest } from './input/resume.decoder.js';
import { RunLookup } from './run-lookup.js';
import { addressOf } from './run-names.js';
import { RunSubmission, type TaskAccepted } from './run-submission.js';
import { RunsWire } from './runs.wire.js';
import { RunViews } from './status/run-views.js';

/** How much longer than the grace of a canceled run its end is waited for, in milliseconds. */
const AFTER_GRACE_MS = 5000;

/** Cancel and resume (contract runs-api, section 4). */
@ApiTags('Runs')
@Needs('runs:write')
@WireController(RunsWire, 'api/v1/agent/runs/:threadId/:runId')
export class RunControlController {
  constructor(
    private readonly runs: Runs,
    private readonly lookup: RunLookup,
    private readonly views: RunViews,
    private readonly submission: RunSubmission,
    private readonly settings: RunSettings,
  ) {}

  @Post('cancel')
  @HttpCode(202)
  @ApiBody({ type: CancelRequestDto, required: false, examples: CANCEL_EXAMPLES })
  @ApiAcceptedResponse({ type: RunViewDto, description: 'The cancel is stored.' })
  @ApiOkResponse({ type: RunViewDto, description: 'The run has ended.' })
  @ApiRunsRoute('Cancel a run', 'Idempotent. A run that has ended is not changed.', [400, 404])
  async cancel(
    @Param('threadId') threadId: string,
    @Param('runId') runId: string,
    @Body() body: unknown,
    @Caller() caller: Caller,
    @StreamFor() { gone, reply }: StreamClient,
  ): Promise<object> {
    // A cancel needs no body.
    const { mode, wait } = toDto(CancelRequestDto, body ?? {});
    const run = await this.lookup.run(await this.lookup.ownerOf(caller, threadId), threadId, runId);
    const canceled = await this.runs.cancel(userReach(run), run.runId, {
      rollback: mode === 'rollback',
      by: caller.origin(),
    });
    const milliseconds = wait === true ? this.settings.cancelGraceMs + AFTER_GRACE_MS : 0;
    const isOver = (look: { finishedAt: number | null }): boolean => look.finishedAt !== null;
    const last = await this.views.until(canceled, isOver, { milliseconds, signal: gone });
    if (isOver(last) && (wait === true || isOver(run))) reply.status(200);
    return this.views.of(last);
  }

  @Post('resume')
  @Decode(RunsWire, (_, { body }) => decodeResume(body))
  @HttpCode(202)
  @ApiBody({ type: ResumeRequestDto, examples: RESUME_EXAMPLES })
  @ApiAcceptedResponse({ type: TaskAcceptedDto, description: 'The run that continues the interrupted one.' })
  @ApiRunsRoute(
    'Resume an interrupted run',
    'Answers interrupts. A new run continues with the answers.',
    [404, 409, 410, 422],
  )
  async resume(
    @Param('threadId') threadId: string,
    @Param('runId') runId: string,
    @Decoded() request: ResumeRequest,
    @Caller() caller: Caller,
    @StreamFor() { request: { headers }, reply }: StreamClient,
  ): Promise<TaskAccepted> {
    const run = await this.lookup.run(await this.lookup.ownerOf(caller, threadId), threadId, runId);
    const { answer, replayed } = await this.submission.resume(
      caller,
      run,
      request,
      acceptedLocale(headers['accept-language']),
    );
    reply.header('location', addressOf(answer.threadId, answer.runId));
    if (replayed) reply.header('idempotency-replayed', 'true');
    return answer;
  }
}
