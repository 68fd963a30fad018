import { Body, Controller, Get } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { AppError } from '../../common/index.js';
import { FieldReader, fieldError, fieldReaderAt, SsePost, type StreamClient, StreamFor } from '../http/index.js';
import { CopilotRuntime } from './copilot-runtime.js';
import type { RuntimeInfo } from './runtime-info.js';

const METHODS = ['info', 'agent/run', 'agent/connect', 'agent/stop'] as const;

/** CopilotKit's discovery, and its single endpoint: all routes of an agent behind one path. */
@ApiTags('CopilotKit')
@Controller('copilotkit')
export class CopilotRuntimeController {
  constructor(private readonly runtime: CopilotRuntime) {}

  @Get('info')
  @ApiOperation({ summary: 'What this runtime offers', description: 'The agents and what they can do.' })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  info(): RuntimeInfo {
    return this.runtime.info();
  }

  @SsePost('')
  @ApiOperation({
    summary: 'The single endpoint',
    description: '`{method, params: {agentId, threadId}, body}`: info, agent/run, agent/connect or agent/stop.',
  })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['method'],
      properties: {
        method: { type: 'string', enum: [...METHODS] },
        params: { type: 'object', additionalProperties: true },
        body: { type: 'object', additionalProperties: true },
      },
      example: { method: 'info' },
    },
  })
  async call(
    @Body() envelope: unknown,
    @StreamFor() client: StreamClient,
  ): Promise<Observable<readonly string[]> | object> {
    const fields = fieldReaderAt(envelope, 'body');
    const method = fields.string('method');
    const params = new FieldReader(fields.object('params') ?? {}, 'params');
    const body = fields.source['body'];
    switch (method) {
      case 'info':
        return this.runtime.info();
      case 'agent/run':
        return this.runtime.run(required(params, 'agentId'), body, client);
      case 'agent/connect':
        return this.runtime.connect(required(params, 'agentId'), body, client);
      case 'agent/stop':
        return this.runtime.stop(required(params, 'agentId'), required(params, 'threadId'), body, client);
      default:
        throw new AppError('INVALID_PARAMETER', `method must be one of ${METHODS.join(', ')}`);
    }
  }
}

function required(params: FieldReader, name: string): string {
  const value = params.string(name);
  if (value === undefined) throw fieldError(params.at(name), 'is required', 'MISSING_PARAMETER');
  return value;
}
