import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags, PartialType } from '@nestjs/swagger';
import { Caller, Needs, TenantRetentions } from '../../access/index.js';
import { Retention, RETENTION_KINDS, type RetentionOverrides, retentionText } from '../../retention/index.js';
import { AdminRoute } from './api-docs.js';
import { RetentionDto, TenantRetentionDto } from './dto/tenant.dto.js';

/** For how long the data of a tenant is kept, for the operators of the installation (contract access, section 9). */
@ApiTags('Administration')
@Needs('admin:tenants')
@Controller('admin/tenants/:id/retention')
export class TenantRetentionController {
  constructor(
    private readonly periods: TenantRetentions,
    private readonly retention: Retention,
  ) {}

  @Get()
  @ApiOkResponse({ type: TenantRetentionDto })
  @AdminRoute(
    'Read the retention of a tenant',
    '`retention` is what holds, `overrides` what differs from the settings of the server.',
    [404],
  )
  async read(@Param('id') id: string): Promise<TenantRetentionDto> {
    return this.viewOf(await this.periods.read(id));
  }

  @Put()
  @ApiBody({ type: PartialType(RetentionDto) })
  @ApiOkResponse({ type: TenantRetentionDto })
  @AdminRoute(
    'Replace the retention of a tenant',
    'What the body does not name is kept as the settings of the server say. What is older than that is then removed, and cannot be brought back.',
    [400, 404],
  )
  async replace(
    @Param('id') id: string,
    @Body() overrides: unknown,
    @Caller() caller: Caller,
  ): Promise<TenantRetentionDto> {
    return this.viewOf(await this.periods.replace(id, overrides, caller.origin()));
  }

  private viewOf(overrides: RetentionOverrides): TenantRetentionDto {
    const held = RETENTION_KINDS.map((kind) => [kind, retentionText(this.retention.timeOf(kind, overrides))]);
    return { retention: Object.fromEntries(held) as RetentionDto, overrides };
  }
}
