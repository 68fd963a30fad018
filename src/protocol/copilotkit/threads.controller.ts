import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { JsonObject, Principal } from '../../common/index.js';
import type { AgUiEvent, AgUiMessage } from '../ag-ui-events/index.js';
import { fieldError, fieldReaderAt, userIdHeader, NoBody, requestPrincipal, ShapePipe } from '../http/index.js';
import { CopilotRuntime } from './copilot-runtime.js';
import { ThreadChangeDto } from './dto/thread-change.dto.js';
import { ClearQueryDto, ThreadsQueryDto } from './dto/threads-query.dto.js';
import { type CopilotThread, CopilotThreads } from './threads.service.js';

const DEFAULT_LIMIT = 50;
const anyObject = { schema: { type: 'object', additionalProperties: true } };

/** CopilotKit's thread routes, over sessions. */
@ApiTags('CopilotKit')
@ApiOkResponse(anyObject)
@Controller('copilotkit/threads')
export class CopilotThreadsController {
  constructor(
    private readonly threads: CopilotThreads,
    private readonly runtime: CopilotRuntime,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List threads', description: 'Those of the user that X-User-Id names, newest first.' })
  list(
    @Query(new ShapePipe(ThreadsQueryDto)) query: ThreadsQueryDto,
    @Req() request: FastifyRequest,
  ): Promise<{ threads: CopilotThread[]; nextCursor: string | null }> {
    const { agentId, includeArchived, limit, cursor } = query;
    return this.threads.list(userIdHeader(request), {
      agentType: this.agentType(agentId),
      includeArchived: includeArchived === 'true',
      limit: Number(limit ?? DEFAULT_LIMIT),
      cursor,
    });
  }

  @Post('clear')
  @HttpCode(200)
  @NoBody()
  @ApiOperation({
    summary: 'Remove all threads of a user',
    description:
      'Those of the user that X-User-Id names, of all agents or of one. Without a user it is a 400: nobody owns the threads of unnamed users together.',
  })
  async clear(
    @Query(new ShapePipe(ClearQueryDto)) query: ClearQueryDto,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
  ): Promise<{ deleted: number }> {
    const userId = userIdHeader(request);
    if (userId === undefined) throw fieldError('X-User-Id', 'is required to remove all threads', 'MISSING_PARAMETER');
    const agentId = query.agentId ?? fieldReaderAt(body ?? {}, 'body').string('agentId');
    return { deleted: await this.threads.clear(userId, this.agentType(agentId)) };
  }

  @Get(':threadId/messages')
  @ApiOperation({ summary: 'The messages of a thread' })
  async messages(
    @Param('threadId') threadId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ messages: readonly AgUiMessage[] }> {
    return { messages: await this.threads.messages(principalOf(request, threadId), threadId) };
  }

  @Get(':threadId/events')
  @ApiOperation({ summary: 'The events of the runs of a thread that are over' })
  async events(
    @Param('threadId') threadId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ events: readonly AgUiEvent[] }> {
    return { events: await this.threads.events(principalOf(request, threadId), threadId) };
  }

  @Get(':threadId/state')
  @ApiOperation({ summary: 'The shared state of a thread' })
  async state(@Param('threadId') threadId: string, @Req() request: FastifyRequest): Promise<{ state: JsonObject }> {
    return { state: await this.threads.state(principalOf(request, threadId), threadId) };
  }

  @Patch(':threadId')
  @ApiOperation({ summary: 'Rename a thread, archive it, or take it out of the archive' })
  change(
    @Param('threadId') threadId: string,
    @Body(new ShapePipe(ThreadChangeDto)) { name, archived }: ThreadChangeDto,
    @Req() request: FastifyRequest,
  ): Promise<CopilotThread> {
    return this.threads.change(principalOf(request, threadId), threadId, {
      ...(name !== undefined && { name }),
      ...(archived !== undefined && { archived }),
    });
  }

  @Post(':threadId/archive')
  @HttpCode(200)
  @NoBody()
  @ApiOperation({ summary: 'Archive a thread' })
  archive(@Param('threadId') threadId: string, @Req() request: FastifyRequest): Promise<CopilotThread> {
    return this.threads.change(principalOf(request, threadId), threadId, { archived: true });
  }

  @Delete(':threadId')
  @ApiOperation({ summary: 'Remove a thread and everything of it' })
  async remove(@Param('threadId') threadId: string, @Req() request: FastifyRequest): Promise<{ deleted: true }> {
    await this.threads.remove(principalOf(request, threadId), threadId);
    return { deleted: true };
  }

  private agentType(agentId: string | undefined): string | undefined {
    return agentId === undefined ? undefined : (this.runtime.agentTypeOf(agentId) ?? agentId);
  }
}

/** A thread whose user nobody names is a user of its own. */
function principalOf(request: FastifyRequest, threadId: string): Principal {
  return requestPrincipal(userIdHeader(request) ?? threadId);
}
