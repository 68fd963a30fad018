import { ApiPropertyOptional } from '@nestjs/swagger';
import { UserIdQuery } from '../../http/bodies/query-checks.js';

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

/** The query of the settings: their user. */
export class UserQueryDto {
  @UserIdQuery()
  user_id?: string;
}
