import { Delete, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Caller, Needs } from '../../access/index.js';
import { NoBody, DtoPipe, SseGet, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { Decode, Decoded, RunStreams, startingAfter, WireController } from '../wire/index.js';
import { idempotencyKeyOf, type ListPage, listPage, openAiPaths, OpenAiError } from '../openai/index.js';
import { ApiCreateResponse, ApiResponseStream, ApiRoute, TAG } from './api-docs.js';
import { PageQueryDto, RetrieveQueryDto } from './dto/queries.dto.js';
import { CompactionDto, InputTokensDto } from './dto/response.dto.js';
import type { CreateRequest } from './responses-request.decoder.js';
import type { Item } from './items/item.types.js';
import { type Compaction, type InputTokens, ResponseContext } from './response-context.js';
import { ResponseRequests, type ResponsesSubmission } from './response-requests.js';
import { ResponseSubmission } from './response-submission.js';

import { ResponsesService } from './responses.service.js';
import { ResponsesWire } from './responses.wire.js';

/** A stream of events, or one JSON response. */
type Answer = Observable<readonly string[]> | object;

/** `/responses` (contract responses, section A1): the same under both prefixes. */
@ApiTags(TAG)
@Needs('runs:read')
@WireController(ResponsesWire, openAiPaths('responses'))
export class ResponsesController {
  constructor(
    private readonly submission: ResponseSubmission,
    private readonly responses: ResponsesService,
    private readonly context: ResponseContext,
    private readonly streams: RunStreams,
    private readonly wire: ResponsesWire,
  ) {}

  @SsePost('')
  @Decode(ResponseRequests, (requests, { body, caller, headers }) =>
    requests.submission(body, caller, idempotencyKeyOf(headers['idempotency-key'])),
  )
  @Needs('runs:write')
  @ApiCreateResponse()
  @ApiResponseStream()
  @ApiRoute(
    'Create a response',
    'Runs the agent: one JSON response, or its events with stream=true.',
    [400, 404, 413, 415, 429, 503],
  )
  async create(@Decoded() submission: ResponsesSubmission, @StreamFor() client: StreamClient): Promise<Answer> {
    const { request, reply } = client;
    const { run, created, stream, background } = await this.submission.submit(submission);
    reply.header('x-run-id', run.runId);
    const onDisconnect = background ? ('continue' as const) : ('cancel' as const);
    const options = { wire: this.wire, onDisconnect };
    if (stream) return this.streams.follow(run, client, options).events();
    if (background) return this.json(request, await this.responses.submitted(run, created));
    // The run has begun: a client that repeats the request would start a second one.
    reply.header('x-should-retry', 'false');
    return this.json(request, await this.streams.result(run, client, options));
  }

  @Post('input_tokens')
  @Decode(ResponseRequests, (requests, { body, caller }) => requests.decode(body, caller))
  @HttpCode(200)
  @ApiOkResponse({ type: InputTokensDto })
  @ApiCreateResponse()
  @ApiRoute(
    'Count the input tokens',
    'Estimated: the conversation, the input, the instructions and the tools.',
    [400, 404],
  )
  count(@Decoded() request: CreateRequest, @Caller() caller: Caller): Promise<InputTokens> {
    return this.context.count(request, caller);
  }

  @Post('compact')
  @Decode(ResponseRequests, (requests, { body, caller }) => requests.compaction(body, caller))
  @HttpCode(200)
  @ApiOkResponse({ type: CompactionDto })
  @ApiCreateResponse()
  @ApiRoute(
    'Compact a conversation',
    "The user's messages, and one item that replaces the rest of the conversation.",
    [400, 404],
  )
  compact(@Decoded() request: CreateRequest, @Caller() caller: Caller): Promise<Compaction> {
    return this.context.compact(request, caller);
  }

  @SseGet(':responseId')
  @ApiResponseStream()
  @ApiRoute('Retrieve a response', 'The current response, or with stream=true its events after any number.', [400, 404])
  async retrieve(
    @Param('responseId') id: string,
    @Query(DtoPipe) query: RetrieveQueryDto,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Answer> {
    if (query.stream !== 'true') return this.json(client.request, await this.responses.retrieve(caller, id));
    const run = await this.responses.find(caller, id);
    const cursor = startingAfter(query.starting_after, 'response', cursorError);
    return (await this.streams.resume(run, client, { wire: this.wire, cursor })).events();
  }

  @Delete(':responseId')
  @Needs('runs:write')
  @ApiRoute('Delete a response', 'Deletes the response with its events and its part of the conversation.', [404])
  async remove(@Param('responseId') id: string, @Caller() caller: Caller): Promise<object> {
    await this.responses.remove(caller, id);
    return { id, object: 'response', deleted: true };
  }

  @Post(':responseId/cancel')
  @Needs('runs:write')
  @NoBody()
  @HttpCode(200)
  @ApiRoute('Cancel a background response', 'Idempotent. The partial output is kept.', [400, 404])
  async cancel(
    @Param('responseId') id: string,
    @Caller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.json(request, await this.responses.cancel(caller, id));
  }

  @Get(':responseId/input_items')
  @ApiRoute('List the input of a response', "The items of its request, with the server's ids.", [400, 404])
  async inputItems(
    @Param('responseId') id: string,
    @Query(DtoPipe) query: PageQueryDto,
    @Caller() caller: Caller,
  ): Promise<ListPage<Item>> {
    return listPage(await this.responses.inputItems(caller, id), query);
  }

  private json({ url }: FastifyRequest, response: object): object {
    return this.wire.legacyEnvelope(url, response);
  }
}

/** Clients of this API would repeat a request that gets a 409. */
function cursorError(field: string, sentence: string): OpenAiError {
  return new OpenAiError('CURSOR_AHEAD', sentence, field);
}
