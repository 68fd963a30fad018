import { Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Caller, Needs } from '../../access/index.js';
import { AppError, maskCredentials, type Reach } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import type { AgentResponse } from '../../events/index.js';
import { DtoPipe } from '../http/index.js';
import { Decode, Decoded, WireController } from '../wire/index.js';
import type { AgentRequest } from './agent-api-request.decoder.js';
import { AgentApiWire } from './agent-api.wire.js';
import { ApiAgentRequest, ApiRoute } from './api-docs.js';
import { TaskStatusDto, TaskSubmittedDto } from './dto/answers.dto.js';
import { ProcessQueryDto } from './dto/process-query.dto.js';
import { withOpenCallsLast } from './terminal-output.js';

/** Background tasks (contract agent-api, section a.1): the same run, polled instead of streamed. */
@ApiTags('Agent API')
@WireController(AgentApiWire, 'process/task')
export class AgentApiTasksController {
  constructor(private readonly runs: Runs) {}

  @Post()
  @Decode(AgentApiWire, (wire, request) => wire.decode(request, 'enqueue'))
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
    @Decoded() { request }: AgentRequest,
    @Query(DtoPipe) _query: ProcessQueryDto,
  ): Promise<TaskSubmittedDto> {
    const { run } = await this.runs.accept(request);
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

/** The status of a task (contract agent-api, section a.1). */
type TaskStatus =
  | { readonly status: 'pending'; readonly result: null }
  | { readonly status: 'running'; readonly started_at: number; readonly result: null }
  | { readonly status: 'finished'; readonly result: AgentResponse }
  | { readonly status: 'error'; readonly result: string };

/**
 * The status of a task. A run that failed is `finished` with a failed response; `error` is for one that
 * ended before it began.
 *
 * @throws AppError RUN_NOT_FOUND
 */
export async function taskStatus(runs: Runs, reach: Reach, taskId: string): Promise<TaskStatus> {
  const { state, startedAt, createdAt, error } = await runs.view(reach, taskId);
  if (state === 'queued') return { status: 'pending', result: null };
  if (state === 'running') return { status: 'running', started_at: (startedAt ?? createdAt) / 1000, result: null };
  if (state === 'failed' && startedAt === null)
    return { status: 'error', result: error?.message ?? 'The task was not run' };
  return { status: 'finished', result: withOpenCallsLast(await runs.response(reach, taskId)) };
}
