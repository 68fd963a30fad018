import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';

/** The body of `POST /stop`: a session or a response. Other fields of a `/process` body are ignored. */
export class StopRequestDto {
  @ApiPropertyOptional({
    maxLength: 256,
    example: 'session-1',
    description: 'Stops all unfinished runs of this session.',
  })
  @IsOptional()
  @IsString({ message: 'session_id must be a string' })
  @Length(1, 256, { message: 'session_id must have 1 to 256 characters' })
  session_id?: string;

  @ApiPropertyOptional({
    maxLength: 256,
    example: 'alice',
    description: 'The user of the session; by default the session id, as in POST /process.',
  })
  @IsOptional()
  @IsString({ message: 'user_id must be a string' })
  @Length(1, 256, { message: 'user_id must have 1 to 256 characters' })
  user_id?: string;

  @ApiPropertyOptional({ maxLength: 128, description: 'Stops this run only.' })
  @IsOptional()
  @IsString({ message: 'response_id must be a string' })
  @Length(1, 128, { message: 'response_id must have 1 to 128 characters' })
  response_id?: string;
}
