import { Body, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import type { JsonObject } from '../../common/index.js';
import type { AgUiEvent, AgUiMessage } from '../ag-ui-events/index.js';
import { fieldError, fieldReaderAt, NoBody, DtoPipe, StreamFor, type StreamReader } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { CopilotAgents } from './copilotkit-agents.js';
import { type CopilotThread, CopilotThreads } from './copilotkit-threads.service.js';
import { CopilotKitWire } from './copilotkit.wire.js';
import { ClearQueryDto, ThreadChangeDto, ThreadsQueryDto } from './dto/threads.dto.js';

/** Threads of a page without `limit`. */
const DEFAULT_LIMIT = 50;
const anyObject = { schema: { type: 'object', additionalProperties: true } };

/** CopilotKit's thread routes, over sessions. */
@ApiTags('CopilotKit')
@ApiOkResponse(anyObject)
@Needs('runs:read')
@WireController(CopilotKitWire, 'copilotkit/threads')
export class CopilotThreadsController {
  constructor(
    private readonly threads: CopilotThreads,
    private readonly agents: CopilotAgents,
    private readonly wire: CopilotKitWire,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List threads', description: 'The threads of the user in X-User-Id, newest first.' })
  list(
    @Query(DtoPipe) query: ThreadsQueryDto,
    @Caller() caller: Caller,
  ): Promise<{ threads: CopilotThread[]; nextCursor: string | null }> {
    const { agentId, includeArchived, limit, cursor } = query;
    return this.threads.list(caller, {
      agentType: this.agentType(agentId, caller),
      includeArchived: includeArchived === 'true',
      limit: Number(limit ?? DEFAULT_LIMIT),
      cursor,
    });
  }

  @Post('clear')
  @Needs('runs:write')
  @HttpCode(200)
  @NoBody()
  @ApiOperation({
    summary: 'Delete all threads of a user',
    description:
      'Deletes the threads of the caller, of all agents or of one. Without authentication X-User-Id names the user; 400 without it.',
  })
  async clear(
    @Query(DtoPipe) query: ClearQueryDto,
    @Body() body: unknown,
    @Caller() caller: Caller,
  ): Promise<{ deleted: number }> {
    if (caller.identity === undefined && caller.headerUser() === undefined)
      throw fieldError('X-User-Id', 'is required to remove all threads', 'MISSING_PARAMETER');
    const agentId = query.agentId ?? fieldReaderAt(body ?? {}, 'body').string('agentId');
    return { deleted: await this.threads.clear(caller, this.agentType(agentId, caller)) };
  }

  @Get(':threadId/messages')
  @ApiOperation({ summary: 'The messages of a thread' })
  async messages(
    @Param('threadId') threadId: string,
    @Caller() caller: Caller,
  ): Promise<{ messages: readonly AgUiMessage[] }> {
    return { messages: await this.threads.messages(await this.wire.ownerOf(caller, threadId), threadId) };
  }

  @Get(':threadId/events')
  @ApiOperation({ summary: 'The events of the finished runs of a thread' })
  async events(
    @Param('threadId') threadId: string,
    @Caller() caller: Caller,
    @StreamFor() client: StreamReader,
  ): Promise<{ events: readonly AgUiEvent[] }> {
    return { events: await this.threads.events(await this.wire.ownerOf(caller, threadId), threadId, client) };
  }

  @Get(':threadId/state')
  @ApiOperation({ summary: 'The shared state of a thread' })
  async state(@Param('threadId') threadId: string, @Caller() caller: Caller): Promise<{ state: JsonObject }> {
    return { state: await this.threads.state(await this.wire.ownerOf(caller, threadId), threadId) };
  }

  @Patch(':threadId')
  @Needs('runs:write')
  @ApiOperation({ summary: 'Rename, archive or restore a thread' })
  async change(
    @Param('threadId') threadId: string,
    @Body(DtoPipe) { name, archived }: ThreadChangeDto,
    @Caller() caller: Caller,
  ): Promise<CopilotThread> {
    return this.threads.change(await this.wire.ownerOf(caller, threadId), threadId, {
      ...(name !== undefined && { name }),
      ...(archived !== undefined && { archived }),
    });
  }

  @Post(':threadId/archive')
  @Needs('runs:write')
  @HttpCode(200)
  @NoBody()
  @ApiOperation({ summary: 'Archive a thread' })
  async archive(@Param('threadId') threadId: string, @Caller() caller: Caller): Promise<CopilotThread> {
    return this.threads.change(await this.wire.ownerOf(caller, threadId), threadId, { archived: true });
  }

  @Delete(':threadId')
  @Needs('runs:write')
  @ApiOperation({ summary: 'Delete a thread' })
  async remove(@Param('threadId') threadId: string, @Caller() caller: Caller): Promise<{ deleted: true }> {
    await this.threads.remove(await this.wire.ownerOf(caller, threadId), threadId, caller);
    return { deleted: true };
  }

  /** The type of a known agent; an unknown name is kept, so that the list is empty instead of unfiltered. */
  private agentType(agentId: string | undefined, caller: Caller): string | undefined {
    return agentId === undefined ? undefined : (this.agents.agentTypeOf(agentId, caller) ?? agentId);
  }
}
