import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiCreateResponse, ApiRoute } from './api-docs.js';
import { type Compaction, type InputTokens, ResponseContext } from './response-context.js';
import { PREFIXES, TAG } from './routes.js';

/** What a request would give to the model, without a run. */
@ApiTags(TAG)
@Controller(PREFIXES.map((prefix) => `${prefix}/responses`))
export class ResponseContextController {
  constructor(private readonly context: ResponseContext) {}

  @Post('input_tokens')
  @HttpCode(200)
  @ApiCreateResponse()
  @ApiRoute(
    'Count the input tokens',
    'Estimated: the conversation, the input, the instructions and the tools.',
    [400, 404],
  )
  count(@Body() body: unknown): Promise<InputTokens> {
    return this.context.count(body);
  }

  @Post('compact')
  @HttpCode(200)
  @ApiCreateResponse()
  @ApiRoute(
    'Compact a conversation',
    "The user's messages, and one item that replaces the rest of the conversation.",
    [400, 404],
  )
  compact(@Body() body: unknown): Promise<Compaction> {
    return this.context.compact(body);
  }
}
