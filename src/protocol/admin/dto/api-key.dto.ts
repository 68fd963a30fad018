import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, Length } from 'class-validator';
import type { ApiKeyStatus, ApiKeyView, OwnLimits } from '../../../access/index.js';
import { Closed, PageCursor, PageLimit } from '../../http/index.js';

const STATUSES: readonly ApiKeyStatus[] = ['active', 'rotated', 'expired', 'revoked'];
const DURATION = { message: '$property must be a duration such as 90d, or never' };
const TIME = { type: String, format: 'date-time', nullable: true } as const;

/** An API key. Its secret is not stored and cannot be shown. */
export class ApiKeyDto implements ApiKeyView {
  @ApiProperty({ example: 's1WDTnnBttOI', description: 'A part of the key, which identifies it.' })
  id!: string;

  @ApiProperty({ example: 'default' })
  tenant!: string;

  @ApiProperty({ example: 'nightly', description: 'The identity of the caller; it survives rotations.' })
  account!: string;

  @ApiProperty({ type: String, nullable: true, example: 'Nightly reports' })
  name!: string | null;

  @ApiProperty({ enum: STATUSES, description: '`rotated`: the key works until `overlapUntil`.' })
  status!: ApiKeyStatus;

  @ApiProperty({ type: [String], example: ['runs:write', 'runs:read'] })
  scopes!: readonly string[];

  @ApiProperty({ type: String, nullable: true, description: 'The user that the key always acts for.' })
  user!: string | null;

  @ApiProperty({ type: [String], nullable: true, description: 'Where the key is accepted from; null for everywhere.' })
  networks!: readonly string[] | null;

  @ApiProperty({ type: Object, nullable: true, description: 'Limits of the key itself, per minute.' })
  limits!: OwnLimits | null;

  @ApiProperty({ example: 'cli:operator', description: 'Kind and id of who created it.' })
  createdBy!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({ ...TIME, description: 'null: never.' })
  expiresAt!: string | null;

  @ApiProperty({ ...TIME, description: 'Until when a rotated key works.' })
  overlapUntil!: string | null;

  @ApiProperty({ type: String, nullable: true })
  revokedBy!: string | null;

  @ApiProperty(TIME)
  revokedAt!: string | null;

  @ApiProperty({ ...TIME, description: 'Accurate to a minute.' })
  lastUsedAt!: string | null;

  @ApiProperty({ type: String, nullable: true, example: '192.0.2.0/24', description: 'The network of the last use.' })
  lastUsedNetwork!: string | null;
}

/** A key that was just created, with its secret. */
export class IssuedApiKeyDto extends ApiKeyDto {
  @ApiProperty({ description: 'The key as clients send it. It is shown only this once.' })
  secret!: string;
}

/** One page of keys, newest first. */
export class ApiKeyListDto {
  @ApiProperty({ type: [ApiKeyDto] })
  data!: readonly ApiKeyDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** Which keys a list shows. */
export class ApiKeyQueryDto {
  @ApiPropertyOptional({ description: 'Only those of this account.' })
  @IsOptional()
  @IsString({ message: 'account must be a string' })
  @Length(1, 63, { message: 'account must have 1 to 63 characters' })
  account?: string;

  @PageLimit(100, 20)
  limit?: string;

  @PageCursor()
  cursor?: string;
}

/** What can be changed of a key. What is left out stays. */
@Closed()
export class UpdateApiKeyDto {
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 256, description: 'For people.' })
  @IsOptional()
  @IsString({ message: 'name must be a string' })
  name?: string | null;

  @ApiPropertyOptional({ type: [String], description: 'Only scopes that the caller has.' })
  @IsOptional()
  @IsArray({ message: 'scopes must be a list' })
  @ArrayMaxSize(100, { message: 'scopes must be at most 100' })
  @IsString({ each: true, message: 'scopes must be strings' })
  scopes?: readonly string[];

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    example: ['10.0.0.0/8'],
    description: 'The key is accepted only from these addresses and networks. null: from everywhere.',
  })
  @IsOptional()
  @IsArray({ message: 'networks must be a list' })
  @ArrayMaxSize(100, { message: 'networks must be at most 100' })
  @IsString({ each: true, message: 'networks must be strings' })
  networks?: readonly string[] | null;

  @ApiPropertyOptional({ example: '90d', description: 'How long the key works from now on: a duration, or `never`.' })
  @IsOptional()
  @IsString(DURATION)
  @Length(1, 20, DURATION)
  expires?: string;
}

/** The body of `POST /admin/keys`. Without `scopes`: `runs:write` and `runs:read`; without `expires`: `90d`. */
@Closed()
export class CreateApiKeyDto extends UpdateApiKeyDto {
  @ApiProperty({ example: 'nightly', pattern: '^[a-z0-9][a-z0-9_-]{0,62}$' })
  @IsString({ message: 'account must be a string' })
  account!: string;

  @ApiPropertyOptional({ maxLength: 256, description: 'Pins the key to a user that the caller may act for.' })
  @IsOptional()
  @IsString({ message: 'user must be a string' })
  user?: string;
}

/** The body of `POST /admin/keys/{id}/rotate`. */
@Closed()
export class RotateApiKeyDto {
  @ApiPropertyOptional({ example: '24h', default: '24h', description: 'How long the old key still works: 0s to 30d.' })
  @IsOptional()
  @IsString({ message: 'overlap must be a duration such as 24h' })
  @Length(1, 20, { message: 'overlap must be a duration such as 24h' })
  overlap?: string;
}
