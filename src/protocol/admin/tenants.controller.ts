import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs, type Tenant, Tenants } from '../../access/index.js';
import { isoTime } from '../../common/index.js';
import { DtoPipe } from '../http/index.js';
import { AdminRoute } from './api-docs.js';
import { CreateTenantDto, TenantDto, TenantListDto } from './dto/tenant.dto.js';

/** The tenants of the installation, for its operators (contract access, section 4). */
@ApiTags('Administration')
@Needs('admin:tenants')
@Controller('admin/tenants')
export class TenantsController {
  constructor(private readonly tenants: Tenants) {}

  @Get()
  @ApiOkResponse({ type: TenantListDto })
  @AdminRoute('List tenants', 'All tenants of the installation, by id.', [])
  async list(): Promise<TenantListDto> {
    return { data: (await this.tenants.list()).map(viewOf) };
  }

  @Post()
  @ApiBody({ type: CreateTenantDto })
  @ApiCreatedResponse({ type: TenantDto })
  @AdminRoute('Create a tenant', 'Create its first key with `npm run key`.', [400, 409])
  async create(@Body(DtoPipe) { id, name }: CreateTenantDto, @Caller() caller: Caller): Promise<TenantDto> {
    return viewOf(await this.tenants.create(id, caller.origin(), name ?? undefined));
  }

  @Post(':id/suspend')
  @HttpCode(200)
  @ApiOkResponse({ type: TenantDto })
  @AdminRoute('Suspend a tenant', 'Within 5 s, every server refuses its credentials. Its runs continue.', [404])
  async suspend(@Param('id') id: string, @Caller() caller: Caller): Promise<TenantDto> {
    return viewOf(await this.tenants.suspend(id, caller.origin()));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @ApiOkResponse({ type: TenantDto })
  @AdminRoute('Resume a tenant', 'Within 5 s, every server accepts its credentials again.', [404])
  async resume(@Param('id') id: string, @Caller() caller: Caller): Promise<TenantDto> {
    return viewOf(await this.tenants.resume(id, caller.origin()));
  }
}

function viewOf({ createdAt, updatedAt, ...tenant }: Tenant): TenantDto {
  return { ...tenant, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
