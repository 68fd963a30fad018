import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Caller, Needs } from '../../access/index.js';
import { AppError } from '../../common/index.js';
import type { AgUiRequest } from '../ag-ui-events/index.js';
import { FieldReader, fieldReaderAt, NoBody, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { Decode, Decoded, WireController } from '../wire/index.js';
import { ApiAgent, ApiConnect, ApiMethodCall, ApiRun, ApiStop } from './api-docs.js';
import { CopilotAgents, type RuntimeInfo } from './copilotkit-agents.js';
import { CopilotKitService, type StopAnswer } from './copilotkit.service.js';
import { CopilotKitWire } from './copilotkit.wire.js';

/** The frames of a stream, in batches that are written at once. */
type Frames = Observable<readonly string[]>;

/** The methods of the single endpoint. */
const METHODS = ['info', 'agent/run', 'agent/connect', 'agent/stop'] as const;

/** CopilotKit's discovery, its routes of one agent, and its single endpoint: all of them behind one path. */
@ApiTags('CopilotKit')
@WireController(CopilotKitWire, 'copilotkit')
export class CopilotKitController {
  constructor(
    private readonly agents: CopilotAgents,
    private readonly service: CopilotKitService,
    private readonly wire: CopilotKitWire,
  ) {}

  @Get('info')
  @Needs('runs:read')
  @ApiOperation({ summary: 'Runtime information', description: 'The agents and their capabilities.' })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  info(@Caller() caller: Caller): RuntimeInfo {
    return this.agents.info(caller);
  }

  @SsePost('')
  @Needs('runs:read')
  @ApiMethodCall(METHODS)
  async call(
    @Body() envelope: unknown,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Frames | object> {
    const fields = fieldReaderAt(envelope, 'body');
    const method = fields.string('method');
    const params = new FieldReader(fields.object('params') ?? {}, 'params');
    const body = fields.source['body'];
    switch (method) {
      case 'info':
        return this.agents.info(caller);
      case 'agent/run':
        caller.need('runs:write');
        return this.service.run(await this.wire.decode(body, params.required('agentId'), caller), client);
      case 'agent/connect':
        return this.service.connect(params.required('agentId'), body, caller, client);
      case 'agent/stop':
        caller.need('runs:write');
        return this.service.stop(params.required('agentId'), params.required('threadId'), body, caller);
      default:
        throw new AppError('INVALID_PARAMETER', `method must be one of ${METHODS.join(', ')}`);
    }
  }

  @SsePost('agent/:agentId/run')
  @Decode(CopilotKitWire, (wire, { body, params, caller }) => wire.decode(body, params['agentId'], caller))
  @Needs('runs:write')
  @ApiAgent()
  @ApiRun()
  run(@Decoded() request: AgUiRequest, @StreamFor() client: StreamClient): Promise<Frames> {
    return this.service.run(request, client);
  }

  @SsePost('agent/:agentId/connect')
  @Needs('runs:read')
  @ApiAgent()
  @ApiConnect()
  connect(
    @Param('agentId') agentId: string,
    @Body() body: unknown,
    @Caller() caller: Caller,
    @StreamFor() client: StreamClient,
  ): Promise<Frames> {
    return this.service.connect(agentId, body, caller, client);
  }

  @Post('agent/:agentId/stop/:threadId')
  @Needs('runs:write')
  @HttpCode(200)
  @NoBody()
  @ApiAgent()
  @ApiStop()
  stop(
    @Param('agentId') agentId: string,
    @Param('threadId') threadId: string,
    @Body() body: unknown,
    @Caller() caller: Caller,
  ): Promise<StopAnswer> {
    return this.service.stop(agentId, threadId, body, caller);
  }
}
