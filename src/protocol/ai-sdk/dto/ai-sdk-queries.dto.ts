import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { OnDisconnectQuery, OptionalText, PageLimit } from '../../http/bodies/query-checks.js';

/** The address of a stream of which only the query is left: see `ChatRoutes.misplacedStream`. */
const LEVEL_AND_STREAM = /^[567](\/.{1,1000}\/stream)?$/su;

/** The query that chooses the level of a stream. */
export class LevelQueryDto {
  @ApiPropertyOptional({
    enum: ['5', '6', '7'],
    description: 'The line of the npm package `ai` that the page uses. Default: `AI_SDK_LEVEL`.',
  })
  @IsOptional()
  @IsIn(['5', '6', '7'], { message: 'sdk must be 5, 6 or 7' })
  sdk?: '5' | '6' | '7';
}

/** The query of `POST /ai-sdk`. */
export class ChatQueryDto extends LevelQueryDto {
  @OnDisconnectQuery('continue')
  on_disconnect?: 'continue' | 'cancel';
}

/** The query of `GET /ai-sdk`. */
export class MisplacedQueryDto {
  @ApiPropertyOptional({
    pattern: LEVEL_AND_STREAM.source,
    example: '6/chat-1/stream',
    description: 'The level, and behind it the path of the stream.',
  })
  @IsOptional()
  @Matches(LEVEL_AND_STREAM, { message: 'sdk must be 5, 6 or 7' })
  sdk?: string;
}

/** The query of the messages of a chat. */
export class ChatMessagesQueryDto extends LevelQueryDto {
  @PageLimit(1000, 200)
  limit?: string;

  @OptionalText({ maxLength: 256, description: 'Only messages before that with this id.' })
  before?: string;
}
