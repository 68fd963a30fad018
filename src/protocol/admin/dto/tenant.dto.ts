import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import type { TenantStatus } from '../../../access/index.js';
import { Closed } from '../../http/bodies/dto.pipe.js';

/** A tenant. */
export class TenantDto {
  @ApiProperty({ example: 'acme' })
  id!: string;

  @ApiProperty({ example: 'Acme Inc.' })
  name!: string;

  @ApiProperty({ enum: ['active', 'suspended'], description: 'Credentials of a suspended tenant are refused.' })
  status!: TenantStatus;

  @ApiProperty({ type: Object, example: {} })
  settings!: object;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt!: string;
}

/** All tenants. */
export class TenantListDto {
  @ApiProperty({ type: [TenantDto] })
  data!: readonly TenantDto[];
}

/** The body of `POST /admin/tenants`. */
@Closed()
export class CreateTenantDto {
  @ApiProperty({ example: 'acme', pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' })
  @IsString({ message: 'id must be a string' })
  id!: string;

  @ApiPropertyOptional({ maxLength: 256, example: 'Acme Inc.', description: 'For people. Default: the id.' })
  @IsOptional()
  @IsString({ message: 'name must be a string' })
  name?: string;
}
