import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../../access/index.js';
import { MessageAttachments } from '../../../agent/attachment/index.js';
import { AppError } from '../../../common/index.js';
import type { AgentResponse } from '../../../events/index.js';
import { Interrupts } from '../../../agent/interrupt/index.js';
import { RunQueries, Runs } from '../../../run/index.js';
import { NoBody, DtoPipe } from '../../http/index.js';
import { ReadRoute } from '../api-docs.js';
import { ReaderQueryDto, RunsQueryDto } from '../dto/queries.dto.js';
import { RunDetailDto, RunListDto, RunRequestDto } from '../dto/run.dto.js';
import { listReach, readReach, refusalToChange, timeOf } from '../reading.js';
import { runDetail, runSummary, takeoversOf } from './run.mapper.js';

const DEFAULT_LIMIT = 50;
/** The most interrupts of one run that are shown. */
const INTERRUPTS = 100;

/** Runs of any wire, for people who look at them (contract console, section 2). */
@ApiTags('Runs of all wires')
@Needs('runs:read')
@Controller('api/v1/runs')
export class RunsReadController {
  constructor(
    private readonly queries: RunQueries,
    private readonly runs: Runs,
    private readonly interrupts: Interrupts,
    private readonly attachments: MessageAttachments,
  ) {}

  @Get()
  @ApiOkResponse({ type: RunListDto })
  @ReadRoute('List runs', 'Newest first, of all sessions that the caller may read.', [400, 403, 409])
  async list(@Query(DtoPipe) query: RunsQueryDto, @Caller() caller: Caller): Promise<RunListDto> {
    const { status, agent, wire, session, since, until, text, cursor, limit } = query;
    const { items, nextCursor = null } = await this.queries.list(listReach(caller, query.user), {
      limit: Number(limit ?? DEFAULT_LIMIT),
      ...(status !== undefined && { state: status }),
      ...(agent !== undefined && { agentType: agent }),
      ...(wire !== undefined && { wire }),
      ...(session !== undefined && { sessionId: session }),
      ...(since !== undefined && { since: timeOf('since', since) }),
      ...(until !== undefined && { until: timeOf('until', until) }),
      ...(text !== undefined && { text }),
      ...(cursor !== undefined && { cursor }),
    });
    return { data: items.map(runSummary), nextCursor };
  }

  @Get(':id')
  @ApiOkResponse({ type: RunDetailDto })
  @ReadRoute(
    'Read a run',
    'With its recoveries, its interrupts, its worker and its authority. `id` may also be the `runId` of AG-UI.',
    [403, 404, 409],
  )
  async read(
    @Param('id') id: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
  ): Promise<RunDetailDto> {
    const reach = readReach(caller, user);
    const run = await this.queries.details(reach, id, { byKey: true });
    const { runId } = run;
    const marks = run.attempt > 1 ? await this.queries.marks(reach, runId, ['custom']) : [];
    const { items } = await this.interrupts.list(reach, { runId, limit: INTERRUPTS });
    const refusal = refusalToChange(caller, user, run.userId);
    return runDetail(run, { takeovers: takeoversOf(marks), interrupts: items, refusal }, caller);
  }

  @Get(':id/turn')
  @ApiOkResponse({ type: RunListDto })
  @ReadRoute(
    'The runs of a turn',
    'The runs of the turn that a run belongs to, oldest first, at most 100 on one page.',
    [403, 404, 409],
  )
  async turn(
    @Param('id') id: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
  ): Promise<RunListDto> {
    const runs = await this.queries.ofTurn(readReach(caller, user), id);
    return { data: runs.map(runSummary), nextCursor: null };
  }

  @Get(':id/request')
  @ApiOkResponse({ type: RunRequestDto })
  @ReadRoute('The request of a run', 'As the server has stored it, with the messages that it added.', [403, 404, 409])
  async request(
    @Param('id') id: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
  ): Promise<RunRequestDto> {
    const reach = readReach(caller, user);
    const run = await this.queries.details(reach, id);
    const input = this.attachments.shown(await this.queries.input(reach, id), run);
    return { wire: run.wire, agent: run.agentType, input, settings: run.request, wireData: run.wireData };
  }

  @Get(':id/response')
  @ApiOkResponse({ schema: { $ref: '#/components/schemas/AgentResponseDto' } })
  @ReadRoute(
    'The response of a run',
    'The terminal event, which is kept when events are removed; of a run that has not ended, the response so far.',
    [403, 404, 409],
  )
  response(
    @Param('id') id: string,
    @Query(DtoPipe) { user }: ReaderQueryDto,
    @Caller() caller: Caller,
  ): Promise<AgentResponse> {
    return this.runs.response(readReach(caller, user), id);
  }

  @Post(':id/cancel')
  @Needs('runs:write')
  @HttpCode(200)
  @NoBody()
  @ApiOkResponse({ type: RunDetailDto })
  @ReadRoute(
    'Cancel a run',
    'Idempotent; a run that has ended stays as it is. `data:tenant` allows reading runs of other users, not cancelling them.',
    [403, 404, 409],
  )
  async cancel(
    @Param('id') id: string,
    @Query(DtoPipe) query: ReaderQueryDto,
    @Caller() caller: Caller,
  ): Promise<RunDetailDto> {
    const { tenantId, userId } = await this.queries.details(readReach(caller, query.user), id);
    const refusal = refusalToChange(caller, query.user, userId);
    if (refusal !== null) throw new AppError('PERMISSION_DENIED', refusal);
    await this.runs.cancel({ tenantId, of: 'user', userId }, id, { by: caller.origin() });
    return this.read(id, query, caller);
  }
}
