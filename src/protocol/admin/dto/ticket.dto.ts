import { ApiProperty } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';

/** What a ticket is requested for. */
export class TicketRequestDto {
  @ApiProperty({
    maxLength: 2048,
    example: '/runs/run_1/events',
    description: 'The path that the ticket opens: of an event stream (GET), or of the WebSocket. It may have a query.',
  })
  @IsString({ message: 'path must be a string' })
  @MaxLength(2048, { message: 'path must have at most 2048 characters' })
  @Matches(/^\/(?!\/)[^\p{Cc}\p{Cs}\\#]*$/u, {
    message: 'path must begin with / and have neither a host nor a fragment',
  })
  path!: string;
}

/** A ticket. */
export class TicketDto {
  @ApiProperty({ example: 'parley_tk_…', description: 'For `?ticket=`, or the sub-protocol `parley.ticket.<ticket>`.' })
  ticket!: string;

  @ApiProperty({ example: 'http://127.0.0.1:8090/runs/run_1/events?ticket=parley_tk_…' })
  url!: string;

  @ApiProperty({ format: 'date-time', description: 'Until when the stream or the socket has to be opened.' })
  expiresAt!: string;
}
