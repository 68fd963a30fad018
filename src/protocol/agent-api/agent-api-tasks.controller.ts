import { Caller, Needs } from '../../access/index.js';
import { Body, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AppError, maskCredentials } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { ShapePipe } from '../http/index.js';
import { WireController } from '../wire/index.js';
import { AgentApiWire } from './agent-api.wire.js';
import { ApiAgentRequest, ApiRoute } from './api-docs.js';
import { TaskStatusDto, TaskSubmittedDto } from './dto/answers.dto.js';
import { ProcessQueryDto } from './dto/process-query.dto.js';
import { taskStatus } from './task-status.js';

/** Background tasks (contract agent-api, section a.1): the same run, polled instead of streamed. */
@ApiTags('Agent API')
@WireController(AgentApiWire, 'process/task')
export class AgentApiTasksController {
  constructor(
    private readonly runs: Runs,
    private readonly wire: AgentApiWire,
  ) {}

  @Post()
  @Needs('runs:write')
  @HttpCode(200)
  @ApiAgentRequest()
  @ApiOkResponse({ type: TaskSubmittedDto })
  @ApiRoute(
    'Submit a task',
    'Starts a run in the background. It waits while the session is busy, unless `multitask` is `reject`.',
    [400, 409, 413, 415, 429, 503],
  )
  async submit(
    @Body() body: unknown,
    @Query(new ShapePipe(ProcessQueryDto)) query: ProcessQueryDto,
    @Caller() caller: Caller,
  ): Promise<TaskSubmittedDto> {
    const { request } = await this.wire.decode(body, caller);
    const { run } = await this.runs.accept({ ...request, onBusy: query.multitask ?? 'enqueue' });
    return {
      task_id: run.runId,
      status: 'submitted',
      queue: request.agentType,
      message: `Task ${run.runId} was submitted`,
    };
  }

  @Get(':taskId')
  @Needs('runs:read')
  @ApiOkResponse({ type: TaskStatusDto })
  @ApiRoute('Poll a task', 'Any run can be polled, however it was started.', [404])
  async poll(
    @Param('taskId') taskId: string,
    @Caller() { reach }: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    try {
      return await taskStatus(this.runs, reach, taskId);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RUN_NOT_FOUND') throw error;
      reply.status(404);
      const message = maskCredentials(`Task ${taskId} not found`);
      return { code: 'TASK_NOT_FOUND', message, error: message };
    }
  }
}
