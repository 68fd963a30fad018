import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { isPlainObject } from '../../common/index.js';
import { Budgets, UsageReport } from '../../usage/index.js';
import { AdminRoute } from './api-docs.js';
import { BudgetDto, BudgetListDto, PutBudgetDto, TimeZoneDto } from './dto/budget.dto.js';
import { budgetView } from './usage-views.js';

/** The budgets of the caller's tenant (contract access, section 7.1). */
@ApiTags('Administration')
@Needs('admin:budgets')
@Controller('admin/budgets')
export class BudgetsController {
  constructor(
    private readonly budgets: Budgets,
    private readonly report: UsageReport,
  ) {}

  @Get()
  @ApiOkResponse({ type: BudgetListDto })
  @AdminRoute('List the budgets', 'In the order of their creation, with the time zone of the tenant.', [])
  async list(@Caller() { tenantId }: Caller): Promise<BudgetListDto> {
    const [budgets, timeZone] = await Promise.all([this.budgets.list(tenantId), this.budgets.timeZone(tenantId)]);
    return { data: budgets.map(budgetView), currency: this.report.currency, timeZone };
  }

  @Put()
  @ApiBody({ type: PutBudgetDto })
  @ApiOkResponse({ type: BudgetDto })
  @AdminRoute(
    'Set a budget',
    'Adds a budget, or replaces the one with the same subject, name and window. What was used in the present period counts. Holds on every server within 5 s.',
    [400],
  )
  async put(@Body() body: unknown, @Caller() caller: Caller): Promise<BudgetDto> {
    return budgetView(await this.budgets.put(caller.tenantId, body, caller.origin()));
  }

  @Put('time-zone')
  @ApiBody({ type: TimeZoneDto })
  @ApiOkResponse({ type: TimeZoneDto })
  @AdminRoute('Set the time zone of the tenant', 'In which days and months of budgets begin. Default: UTC.', [400])
  async setTimeZone(@Body() body: unknown, @Caller() caller: Caller): Promise<TimeZoneDto> {
    const timeZone = isPlainObject(body) ? body['timeZone'] : undefined;
    return { timeZone: await this.budgets.setTimeZone(caller.tenantId, timeZone, caller.origin()) };
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiNoContentResponse()
  @AdminRoute('Remove a budget', 'Holds on every server within 5 s. What was used stays in the reports.', [404])
  async remove(@Param('id') id: string, @Caller() caller: Caller): Promise<void> {
    await this.budgets.remove(caller.tenantId, id, caller.origin());
  }
}
