import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { AppError, isPlainObject } from '../../common/index.js';
import type { RunListing } from '../../run/index.js';
import { fieldError, FieldReader, kindOf } from '../http/bodies/field-reader.js';
import { DtoPipe } from '../http/index.js';
import { decodeMetadata, type ListPage, listPage, openAiPaths } from '../openai/index.js';
import { WireController } from '../wire/index.js';
import { ApiCompletionRoute, TAG } from './api-docs.js';
import { ChatCompletionsWire } from './chat-completions.wire.js';
import type { Completion } from './completion.types.js';
import { CompletionsService } from './completions.service.js';
import { CompletionDto, MetadataDto } from './dto/completion.dto.js';
import { CompletionListQueryDto, MessageListQueryDto } from './dto/queries.dto.js';
import type { StoredMessage } from './stored-messages.js';

/** Entries of a page without `limit`. */
const PAGE = 20;

/** Completions that requests have stored (contract chat-completions, section A1): the same under both prefixes. */
@ApiTags(TAG)
@Needs('runs:read')
@WireController(ChatCompletionsWire, openAiPaths('chat/completions'))
export class StoredCompletionsController {
  constructor(private readonly completions: CompletionsService) {}

  @Get()
  @ApiQuery({
    name: 'metadata',
    required: false,
    style: 'deepObject',
    explode: true,
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    description: 'Completions with all of these pairs: `metadata[key]=value`.',
  })
  @ApiCompletionRoute(
    'List stored completions',
    'Those made with `store: true`, oldest first unless `order` is `desc`.',
    [400],
  )
  list(
    @Query() parameters: Record<string, unknown>,
    @Query(DtoPipe) { limit, order = 'asc', after, model }: CompletionListQueryDto,
    @Caller() { reach }: Caller,
  ): Promise<ListPage<Completion>> {
    const metadata = metadataFilter(parameters);
    return this.completions.list(reach, { limit: Number(limit ?? PAGE), order, after, model, metadata });
  }

  @Get(':completionId')
  @ApiResponse({ status: 200, type: CompletionDto })
  @ApiCompletionRoute('Retrieve a stored completion', 'With its metadata.', [404])
  find(@Param('completionId') id: string, @Caller() { reach }: Caller): Promise<Completion> {
    return this.completions.retrieve(reach, id);
  }

  @Post(':completionId')
  @Needs('runs:write')
  @HttpCode(200)
  @ApiBody({ type: MetadataDto })
  @ApiResponse({ status: 200, type: CompletionDto })
  @ApiCompletionRoute('Update a stored completion', 'Replaces its metadata.', [400, 404])
  update(@Param('completionId') id: string, @Body() body: unknown, @Caller() { reach }: Caller): Promise<Completion> {
    return this.completions.update(reach, id, metadataOf(body));
  }

  @Delete(':completionId')
  @Needs('runs:write')
  @ApiCompletionRoute('Delete a stored completion', 'With its run, and its part of the session.', [404])
  async remove(@Param('completionId') id: string, @Caller() caller: Caller): Promise<object> {
    await this.completions.remove(caller.reach, id, caller.origin());
    return { id, object: 'chat.completion.deleted', deleted: true };
  }

  @Get(':completionId/messages')
  @ApiCompletionRoute('List the messages of a stored completion', 'Those of its request, oldest first.', [400, 404])
  async messages(
    @Param('completionId') id: string,
    @Query(DtoPipe) query: MessageListQueryDto,
    @Caller() { reach }: Caller,
  ): Promise<ListPage<StoredMessage>> {
    return listPage(await this.completions.messages(reach, id), { ...query, order: query.order ?? 'asc' });
  }
}

/** The metadata of a request that changes it. @throws AppError */
function metadataOf(body: unknown): RunListing['metadata'] {
  if (!isPlainObject(body)) {
    throw new AppError('INVALID_JSON', `The request body must be a JSON object, not ${kindOf(body ?? null)}`);
  }
  const fields = new FieldReader(body, '');
  if (body['metadata'] === undefined) throw fieldError('metadata', 'is required', 'MISSING_PARAMETER');
  return decodeMetadata(fields) as RunListing['metadata'];
}

/** The parameters `metadata[key]=value` of a query. @throws AppError INVALID_PARAMETER for a key that comes twice */
function metadataFilter(parameters: Readonly<Record<string, unknown>>): RunListing['metadata'] {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => {
    const [, key] = /^metadata\[(.*)\]$/s.exec(name) ?? [];
    if (key === undefined) return [];
    if (typeof value !== 'string') throw fieldError(name, 'must have one value', 'INVALID_PARAMETER');
    return [[key, value] as const];
  });
  return Object.fromEntries(pairs);
}
