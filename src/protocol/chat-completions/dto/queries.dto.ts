import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { OnDisconnectQuery, OptionalText, PageLimit } from '../../http/bodies/query-checks.js';

/** The query of `POST /chat/completions`. */
export class CompletionQueryDto {
  @OnDisconnectQuery('cancel')
  on_disconnect?: 'continue' | 'cancel';
}

/** The query of the list of a completion's messages. */
export class MessageListQueryDto {
  @PageLimit(100, 20)
  limit?: string;

  @ApiPropertyOptional({ enum: ['asc', 'desc'], default: 'asc' })
  @IsOptional()
  @IsIn(['asc', 'desc'], { message: 'order must be asc or desc' })
  order?: 'asc' | 'desc';

  @OptionalText({ maxLength: 256, description: 'The id of the last entry of the previous page.' })
  after?: string;
}

/** The query of the list of stored completions, apart from `metadata[key]`. */
export class CompletionListQueryDto extends MessageListQueryDto {
  @OptionalText({ maxLength: 256, description: 'Only completions of requests with this `model`.' })
  model?: string;
}
