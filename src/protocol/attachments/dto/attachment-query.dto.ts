import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { PLAIN_TEXT } from '../../../common/index.js';

/** Whose attachment. */
export class AttachmentQueryDto {
  @ApiPropertyOptional({
    maxLength: 256,
    example: 'alice',
    description: 'The user, as in requests that start runs. Default: the user of requests that name none.',
  })
  @IsOptional()
  @IsString({ message: 'user_id must be a string' })
  @Length(1, 256, { message: 'user_id must have 1 to 256 characters' })
  @Matches(PLAIN_TEXT, { message: 'user_id must not contain control characters' })
  user_id?: string;
}
