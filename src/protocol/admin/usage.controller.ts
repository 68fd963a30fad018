import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, Needs } from '../../access/index.js';
import { type Reach, tenantReach, userReach } from '../../common/index.js';
import { Budgets, UsageReport } from '../../usage/index.js';
import { DtoPipe } from '../http/index.js';
import { AdminRoute } from './api-docs.js';
import { BudgetStateListDto, RunUsageDto, UsagePageDto, UsageQueryDto } from './dto/usage.dto.js';
import { entryView, stateView, sumsCsv, sumsView } from './usage-views.js';

const CSV = 'text/csv';

/** What was used: the caller's own with `runs:read`, that of the tenant with `usage:read` (contract access, section 7.4). */
@ApiTags('Usage')
@Needs('runs:read', 'usage:read', 'data:tenant')
@Controller('usage')
export class UsageController {
  constructor(
    private readonly report: UsageReport,
    private readonly budgets: Budgets,
  ) {}

  @Get()
  @ApiOkResponse({
    type: UsagePageDto,
    description: 'The groups, in the order of their values; with `Accept: text/csv` the same as CSV.',
  })
  @AdminRoute(
    'Sum up what was used',
    'Tokens and costs of settled model calls, exact as soon as a step is committed. With `usage:read` those of the tenant, otherwise those of the caller.',
    [400],
  )
  async sums(
    @Query(DtoPipe) { group_by: groupBy, ...query }: UsageQueryDto,
    @Headers('accept') accept: string | undefined,
    @Caller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UsagePageDto | string> {
    const page = await this.report.page(usageReach(caller), { ...query, groupBy });
    const data = page.data.map((sums) => sumsView(sums, page.groupBy, page.currency));
    reply.header('vary', 'Accept');
    if (!wantsCsv(accept)) return { data, nextCursor: page.nextCursor };
    reply.type(`${CSV}; charset=utf-8`);
    if (page.nextCursor !== null) reply.header('x-next-cursor', page.nextCursor);
    return sumsCsv(data, page.groupBy);
  }

  @Get('budgets')
  @ApiOkResponse({ type: BudgetStateListDto })
  @AdminRoute(
    'Read what is left of the budgets',
    'In their present periods, without the budgets of single runs. With `usage:read` all of the tenant, otherwise those of the caller alone.',
    [],
  )
  async states(@Caller() caller: Caller): Promise<BudgetStateListDto> {
    const reach = usageReach(caller);
    const states = await this.budgets.states(reach.tenantId, reach.of === 'user' ? reach.userId : undefined);
    return { data: states.map(stateView), currency: this.report.currency };
  }

  @Get('runs/:runId')
  @ApiOkResponse({ type: RunUsageDto })
  @AdminRoute(
    'List the model calls of a run',
    'Oldest first. They are kept when the run is removed. An unknown run has none.',
    [],
  )
  async ofRun(@Param('runId') runId: string, @Caller() caller: Caller): Promise<RunUsageDto> {
    const entries = await this.report.ofRun(usageReach(caller), runId);
    return { data: entries.map(entryView), currency: this.report.currency };
  }
}

/** The users whose usage a caller sees. With a right to that of the tenant: all users, or the one that the request names. */
function usageReach(caller: Caller): Reach {
  const { tenantId, scopes } = caller;
  if (!scopes.has('usage:read') && !scopes.has('data:tenant')) return caller.listReach;
  const named = caller.headerUser();
  return named ? userReach({ tenantId, userId: named.userId }) : tenantReach(tenantId);
}

function wantsCsv(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === CSV);
}
