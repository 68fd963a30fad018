import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

/** The query of `POST /send-message`. */
export class SendMessageQueryDto {
  @ApiPropertyOptional({
    enum: ['continue', 'cancel'],
    default: 'cancel',
    description: 'What happens to the run when the client leaves before the end: on this wire that is how to stop it.',
  })
  @IsOptional()
  @IsIn(['continue', 'cancel'], { message: 'on_disconnect must be continue or cancel' })
  on_disconnect?: 'continue' | 'cancel';
}
