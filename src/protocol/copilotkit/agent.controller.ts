import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { NoBody, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { ApiAgent, ApiConnect, ApiRun, ApiStop } from './api-docs.js';
import { CopilotRuntime, type StopAnswer } from './copilot-runtime.js';

/** CopilotKit's routes of one agent: run, connect, stop. */
@ApiTags('CopilotKit')
@Controller('copilotkit/agent/:agentId')
export class CopilotAgentController {
  constructor(private readonly runtime: CopilotRuntime) {}

  @SsePost('run')
  @ApiAgent()
  @ApiRun()
  run(
    @Param('agentId') agentId: string,
    @Body() body: unknown,
    @StreamFor() client: StreamClient,
  ): Promise<Observable<readonly string[]>> {
    return this.runtime.run(agentId, body, client);
  }

  @SsePost('connect')
  @ApiAgent()
  @ApiConnect()
  connect(
    @Param('agentId') agentId: string,
    @Body() body: unknown,
    @StreamFor() client: StreamClient,
  ): Observable<readonly string[]> {
    return this.runtime.connect(agentId, body, client);
  }

  @Post('stop/:threadId')
  @HttpCode(200)
  @NoBody()
  @ApiAgent()
  @ApiStop()
  stop(
    @Param('agentId') agentId: string,
    @Param('threadId') threadId: string,
    @Body() body: unknown,
    @StreamFor() client: StreamClient,
  ): Promise<StopAnswer> {
    return this.runtime.stop(agentId, threadId, body, client);
  }
}
