import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { AppError, BackpressureGate } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import {
  ClientGone,
  NoBody,
  requestPrincipal,
  ShapePipe,
  SseGet,
  SsePost,
  StreamGate,
  useControlFrames,
} from '../http/index.js';
import { ApiCreateResponse, ApiResponseStream, ApiRoute } from './api-docs.js';
import { PageQueryDto, RetrieveQueryDto } from './dto/queries.dto.js';
import type { Item } from './items/item.types.js';
import { LegacyMirror } from './legacy-mirror.js';
import { type ListPage, listPage } from './list-page.js';
import { ResponseCreation } from './response-creation.js';
import { responseObject } from './response-object.js';
import { type ResponseStream, ResponseReader } from './response.reader.js';
import { ofResponse } from './responses-refusal.js';
import { PREFIXES, TAG } from './routes.js';
import { itemsOf } from './session-history.js';

type Answer = Observable<readonly string[]> | object;

/** `/responses` (contract responses, section A1): the same under both prefixes. */
@ApiTags(TAG)
@Controller(PREFIXES.map((prefix) => `${prefix}/responses`))
export class ResponseController {
  constructor(
    private readonly creation: ResponseCreation,
    private readonly reader: ResponseReader,
    private readonly runs: Runs,
    private readonly mirror: LegacyMirror,
  ) {}

  @SsePost('')
  @ApiCreateResponse()
  @ApiResponseStream()
  @ApiRoute(
    'Create a response',
    'Runs the agent: one JSON response, or its events with stream=true.',
    [400, 404, 413, 415, 429, 503],
  )
  async create(
    @Body() body: unknown,
    @StreamGate() gate: BackpressureGate,
    @ClientGone() gone: AbortSignal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Answer> {
    const started = await this.creation.create(body, { idempotencyKey: keyOf(request.headers['idempotency-key']) });
    reply.header('x-run-id', started.runId);
    if (started.stream) return this.stream(request, this.reader.live(started, gate, gone));
    if (started.background && started.created) {
      return this.mirror.of(request, responseObject(started.info, { status: 'queued' }));
    }
    if (started.background) return this.mirror.of(request, await this.reader.view(started.principal, started.runId));
    // The agent has begun: whatever goes wrong now, a repeated request would run it again.
    reply.header('x-should-retry', 'false');
    return this.mirror.of(request, await this.reader.result(started, gone));
  }

  @SseGet(':responseId')
  @ApiResponseStream()
  @ApiRoute('Retrieve a response', 'The current response, or with stream=true its events after any number.', [400, 404])
  async retrieve(
    @Param('responseId') id: string,
    @Query(new ShapePipe(RetrieveQueryDto)) query: RetrieveQueryDto,
    @StreamGate() gate: BackpressureGate,
    @Req() request: FastifyRequest,
  ): Promise<Answer> {
    const principal = requestPrincipal(undefined);
    if (query.stream !== 'true') return this.mirror.of(request, await ofResponse(id, this.reader.view(principal, id)));
    const after = Number(query.starting_after ?? -1);
    return this.stream(request, await ofResponse(id, this.reader.resume(principal, id, after, gate)));
  }

  @Delete(':responseId')
  @ApiRoute('Delete a response', 'Deletes the response with its events and its part of the conversation.', [404])
  async remove(@Param('responseId') id: string): Promise<object> {
    await ofResponse(id, this.runs.remove(requestPrincipal(undefined), id));
    return { id, object: 'response', deleted: true };
  }

  @Post(':responseId/cancel')
  @NoBody()
  @HttpCode(200)
  @ApiRoute('Cancel a background response', 'Idempotent. The partial output is kept.', [400, 404])
  async cancel(@Param('responseId') id: string, @Req() request: FastifyRequest): Promise<object> {
    return this.mirror.of(request, await ofResponse(id, this.reader.cancel(requestPrincipal(undefined), id)));
  }

  @Get(':responseId/input_items')
  @ApiRoute('List the input of a response', "The items of its request, with the server's ids.", [400, 404])
  async inputItems(
    @Param('responseId') id: string,
    @Query(new ShapePipe(PageQueryDto)) query: PageQueryDto,
  ): Promise<ListPage<Item>> {
    return listPage(itemsOf(await ofResponse(id, this.runs.input(requestPrincipal(undefined), id))), query);
  }

  private stream(request: FastifyRequest, { frames, controlFrames }: ResponseStream): Observable<readonly string[]> {
    useControlFrames(request, controlFrames);
    return frames;
  }
}

/** @throws AppError INVALID_PARAMETER for a key that is no short printable text */
function keyOf(key: string | string[] | undefined): string | undefined {
  if (key === undefined || (typeof key === 'string' && /^[\x20-\x7e]{1,256}$/.test(key))) return key;
  throw new AppError('INVALID_PARAMETER', 'Idempotency-Key must have 1 to 256 printable ASCII characters');
}
