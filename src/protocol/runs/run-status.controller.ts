import { Get, Param, Query } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { AbortLike } from '../../common/index.js';
import { Caller, CredentialWatch, Needs } from '../../access/index.js';
import type { RunView } from '../../run/index.js';
import { DtoPipe, type StreamClient, StreamFor } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { ApiRunsRoute } from './api-docs.js';
import { ListQueryDto, StatusQueryDto } from './dto/queries.dto.js';
import { RunPageDto, RunViewDto } from './dto/runs.dto.js';
import { RunLookup } from './run-lookup.js';
import { statusOf } from './run-names.js';
import { RunsWire } from './runs.wire.js';
import { entityTag, namesTag, statusOfTag } from './status/run-view.encoder.js';
import { type RunPage, RunViews } from './status/run-views.js';

const DEFAULT_LIMIT = 20;

/** How long a request waits for another status, and for whom. */
interface Waiting {
  readonly seconds: number;
  readonly gone: AbortLike;
  readonly caller: Caller;
}

/** The states of runs (contract runs-api, section 4). */
@ApiTags('Runs')
@Needs('runs:read')
@WireController(RunsWire, 'api/v1/agent')
export class RunStatusController {
  constructor(
    private readonly lookup: RunLookup,
    private readonly views: RunViews,
    private readonly credentials: CredentialWatch,
  ) {}

  @Get('runs/:threadId')
  @ApiOkResponse({ type: RunPageDto })
  @ApiRunsRoute('List runs', 'The runs of a thread, newest first.', [400, 404])
  async list(
    @Param('threadId') threadId: string,
    @Query(DtoPipe) { limit, cursor, status }: ListQueryDto,
    @Caller() caller: Caller,
  ): Promise<RunPage> {
    const principal = await this.lookup.ownerOf(caller, threadId);
    await this.lookup.thread(principal, threadId);
    const before = cursor === undefined ? undefined : Number(cursor);
    return this.views.page(principal, threadId, { limit: Number(limit ?? DEFAULT_LIMIT), before, status });
  }

  @Get('runs/:threadId/:runId')
  @ApiOkResponse({ type: RunViewDto, headers: { ETag: { schema: { type: 'string' } } } })
  @ApiHeader({ name: 'If-None-Match', required: false })
  @ApiRunsRoute('Read a run', 'The run. With `wait`, once its status has changed or the time has passed.', [404])
  async read(
    @Param('threadId') threadId: string,
    @Param('runId') runId: string,
    @Query(DtoPipe) { wait }: StatusQueryDto,
    @Caller() caller: Caller,
    @StreamFor() { gone, reply }: StreamClient,
  ): Promise<object | undefined> {
    const run = await this.lookup.run(await this.lookup.ownerOf(caller, threadId), threadId, runId);
    return this.answer(run, { seconds: Number(wait ?? 0), gone, caller }, reply);
  }

  @Get('tasks/:taskId')
  @ApiOkResponse({ type: RunViewDto, headers: { ETag: { schema: { type: 'string' } } } })
  @ApiHeader({ name: 'If-None-Match', required: false })
  @ApiRunsRoute('Read a run by its task id', 'Any run can be read, whichever wire has started it.', [404])
  async task(
    @Param('taskId') taskId: string,
    @Query(DtoPipe) { wait }: StatusQueryDto,
    @Caller() caller: Caller,
    @StreamFor() { gone, reply }: StreamClient,
  ): Promise<object | undefined> {
    const run = await this.lookup.task(caller, taskId);
    return this.answer(run, { seconds: Number(wait ?? 0), gone, caller }, reply);
  }

  private async answer(
    run: RunView,
    { seconds, gone, caller }: Waiting,
    reply: FastifyReply,
  ): Promise<object | undefined> {
    const tag = reply.request.headers['if-none-match'];
    const before = statusOfTag(tag) ?? statusOf(run);
    const changed = (look: RunView): boolean => look.finishedAt !== null || statusOf(look) !== before;
    const last = await this.credentials.during(caller, gone, (signal) =>
      this.views.until(run, changed, { milliseconds: seconds * 1000, signal }),
    );
    const view = await this.views.of(last);
    const etag = entityTag(view);
    reply.headers({ etag, 'cache-control': 'no-cache' });
    if (!namesTag(tag, etag)) return view;
    reply.status(304);
    return undefined;
  }
}
