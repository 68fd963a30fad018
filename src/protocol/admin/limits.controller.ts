import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs, TenantLimits, type TenantLimitsView } from '../../access/index.js';
import { AdminRoute } from './api-docs.js';

const VIEW = { schema: { type: 'object', additionalProperties: true } };
const EXAMPLE = { user: { requests: { perMinute: 600, burst: 200 }, activeRuns: 50 } };

/** The limits of the caller's tenant (contract access, section 6). */
@ApiTags('Administration')
@Needs('admin:budgets')
@Controller('admin/limits')
export class LimitsController {
  constructor(private readonly limits: TenantLimits) {}

  @Get()
  @ApiOkResponse(VIEW)
  @AdminRoute('Read the limits', '`limits` is what holds, `overrides` what differs from the defaults.', [])
  read(@Caller() caller: Caller): Promise<TenantLimitsView> {
    return this.limits.read(caller.tenantId);
  }

  @Put()
  @ApiBody({ schema: { type: 'object', additionalProperties: true, example: EXAMPLE } })
  @ApiOkResponse(VIEW)
  @AdminRoute(
    'Replace the limits',
    'What the body does not name gets its default. Holds on every server within 5 s.',
    [400],
  )
  replace(@Body() overrides: unknown, @Caller() caller: Caller): Promise<TenantLimitsView> {
    return this.limits.replace(caller.tenantId, overrides, caller.origin());
  }
}
