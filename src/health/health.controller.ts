import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { callerOf, OptionalCaller, Public } from '../access/index.js';
import { type ModelProfileInfo, Models, type NamedClient } from '../agent/index.js';
import { VERSION } from '../common/index.js';
import { DatabaseSettings } from '../database/index.js';
import {
  HealthDto,
  type ModelProfileDto,
  type NamedModelDto,
  ProbeDto,
  ProbeErrorDto,
  ReadinessDto,
  ServiceInfoDto,
} from './health.dto.js';
import { ReadinessService, ShutdownState } from './readiness.service.js';

const MODE = 'standalone';

/** Information about the server and its health (contract agent-api, section a.1). */
@ApiTags('Service')
@Public()
@Controller()
export class HealthController {
  constructor(
    private readonly models: Models,
    private readonly database: DatabaseSettings,
    private readonly readiness: ReadinessService,
    private readonly shutdown: ShutdownState,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Name, version and endpoints of the server' })
  @ApiOkResponse({ type: ServiceInfoDto })
  info(): ServiceInfoDto {
    return {
      service: 'Parley',
      version: VERSION,
      mode: MODE,
      endpoints: {
        process: '/process',
        stream: '/process',
        task: '/process/task',
        task_status: '/process/task/{task_id}',
        stop: '/stop',
        health: '/health',
        docs: '/docs',
        openapi: '/openapi.json',
      },
    };
  }

  @Get('health')
  @OptionalCaller()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Health of the process',
    description: 'Its model and database are shown to callers with the scope ops:read.',
  })
  @ApiOkResponse({ type: HealthDto })
  health(@Req() request: FastifyRequest): HealthDto {
    return {
      status: 'healthy',
      mode: MODE,
      runner: this.shutdown.isShuttingDown ? 'not_ready' : 'ready',
      version: VERSION,
      uptime: Math.round(process.uptime() * 1000) / 1000,
      ...(mayOperate(request) && this.details()),
    };
  }

  private details(): Pick<HealthDto, 'model' | 'model_profile' | 'models' | 'database'> {
    const { main, named } = this.models;
    const { kind, name, profile } = main.info;
    const database = this.database.address.kind;
    return {
      model: { kind, name },
      ...(profile && { model_profile: profileDto(profile) }),
      ...(named.length > 0 && { models: named.map(namedDto) }),
      database,
    };
  }

  @Get('readiness')
  @OptionalCaller()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    summary: 'Whether the server can take requests',
    description: 'The states of MCP servers and remote agents are shown to callers with the scope ops:read.',
  })
  @ApiOkResponse({ type: ReadinessDto })
  @ApiServiceUnavailableResponse({
    type: ProbeErrorDto,
    description:
      'The database does not answer, a required MCP server or remote agent is not available, or the server is shutting down',
  })
  async ready(@Req() request: FastifyRequest): Promise<ReadinessDto> {
    const showsDetails = mayOperate(request);
    const { servers, agents } = await this.readiness.assertReady({ showsDetails });
    if (!showsDetails) return { status: 'ready' };
    return {
      status: 'ready',
      ...(servers.length > 0 && { mcp_servers: [...servers] }),
      ...(agents.length > 0 && {
        remote_agents: agents.map(({ name, state, required }) => ({ name, state, required })),
      }),
    };
  }

  @Get('liveness')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Whether the process responds' })
  @ApiOkResponse({ type: ProbeDto })
  live(): ProbeDto {
    return { status: 'alive' };
  }
}

function profileDto({ name, reason, repairs, overrides }: ModelProfileInfo): ModelProfileDto {
  return { name, reason, repairs: repairs.map(({ kind, says, sentence }) => ({ kind, says, sentence })), overrides };
}

function namedDto({ name, client: { info }, agents }: NamedClient): NamedModelDto {
  const { kind, name: model, profile } = info;
  return { name, kind, model, ...(profile && { profile: profile.name }), ...(agents && { agents: [...agents] }) };
}

/** Whether a caller may see more than what a probe needs (contract access, section 10, rule 5). */
function mayOperate(request: FastifyRequest): boolean {
  return callerOf(request)?.scopes.has('ops:read') ?? false;
}
