import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
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

/** For how long the data of a tenant is kept, as numbers with their units. */
export class RetentionDto {
  @ApiProperty({ example: '7d', description: 'The events of finished runs.' })
  events!: string;

  @ApiProperty({ example: 'off', description: 'Conversations, after their last activity; `off` for ever.' })
  conversations!: string;

  @ApiProperty({ example: '1d', description: 'Uploads to which no message refers.' })
  uploads!: string;

  @ApiProperty({ example: '400d', description: 'Entries of single model calls.' })
  usage!: string;

  @ApiProperty({ example: '400d', description: 'Lines of the audit trail.' })
  audit!: string;
}

/** For how long the data of a tenant is kept, and what differs from the settings of the server. */
export class TenantRetentionDto {
  @ApiProperty({ description: 'What holds.' })
  retention!: RetentionDto;

  @ApiProperty({ type: PartialType(RetentionDto), description: 'What differs from the settings of the server.' })
  overrides!: object;
}
