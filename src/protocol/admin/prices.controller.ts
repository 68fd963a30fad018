import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { Prices, UsageReport } from '../../usage/index.js';
import { AdminRoute } from './api-docs.js';
import { AddPriceDto, PriceDto, PriceListDto } from './dto/budget.dto.js';
import { priceView } from './usage-views.js';

/** The prices of models for the caller's tenant (contract access, section 7.1). */
@ApiTags('Administration')
@Needs('admin:budgets')
@Controller('admin/prices')
export class PricesController {
  constructor(
    private readonly prices: Prices,
    private readonly report: UsageReport,
  ) {}

  @Get()
  @ApiOkResponse({ type: PriceListDto })
  @AdminRoute('List the prices', 'Those of the tenant and of the installation, the newest first.', [])
  async list(@Caller() { tenantId }: Caller): Promise<PriceListDto> {
    const prices = await this.prices.list(tenantId);
    return { data: prices.map(priceView), currency: this.report.currency };
  }

  @Post()
  @ApiBody({ type: AddPriceDto })
  @ApiCreatedResponse({ type: PriceDto })
  @AdminRoute(
    'Add a price',
    'A price is never changed: add a version with a later `validFrom`. Holds on every server within 5 s.',
    [400],
  )
  async add(@Body() body: unknown, @Caller() caller: Caller): Promise<PriceDto> {
    return priceView(await this.prices.add(caller.tenantId, body, caller.origin()));
  }
}
