import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { UserIdQuery } from '../../http/query-checks.js';

/** The settings of a user, in full: what is null or left out is not set. */
export class UserSettingsDto {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'Europe/Berlin',
    description: 'IANA time zone, used if neither a tool call nor the request names one.',
  })
  timezone?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'de-DE', description: 'Language tag (BCP 47).' })
  locale?: string | null;
}

/** Whose settings. */
export class UserQueryDto {
  @UserIdQuery()
  user_id?: string;
}

/** What is wrong with one setting. */
export class UserSettingsErrorDetailDto {
  @ApiProperty({ example: 'timezone' })
  path!: string;

  @ApiProperty({ example: 'timezone must be an IANA time zone such as Europe/Berlin' })
  message!: string;
}

/** The body of a refusal. */
export class UserSettingsErrorDto {
  @ApiProperty({ example: 'INVALID_USER_SETTINGS' })
  code!: string;

  @ApiProperty({ example: 'timezone must be an IANA time zone such as Europe/Berlin' })
  message!: string;

  @ApiPropertyOptional({ type: [UserSettingsErrorDetailDto] })
  details?: readonly UserSettingsErrorDetailDto[];
}
