import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import packageJson from '../../package.json';
import { ModelClient } from '../agent/index.js';
import { DatabaseSettings } from '../database/index.js';
import { HealthDto, ProbeDto, ProbeErrorDto, ReadinessDto, ServiceInfoDto } from './health.dto.js';
import { ReadinessService, ShutdownState } from './readiness.service.js';

/** The version of this server. */
export const VERSION: string = packageJson.version;
const MODE = 'standalone';

/** Information about the server and its health (contract agent-api, section a.1). */
@ApiTags('Service')
@Controller()
export class HealthController {
  constructor(
    private readonly model: ModelClient,
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
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Health of the process, with its model and database' })
  @ApiOkResponse({ type: HealthDto })
  health(): HealthDto {
    return {
      status: 'healthy',
      mode: MODE,
      runner: this.shutdown.isShuttingDown ? 'not_ready' : 'ready',
      version: VERSION,
      uptime: Math.round(process.uptime() * 1000) / 1000,
      model: { ...this.model.info },
      database: this.database.address.kind,
    };
  }

  @Get('readiness')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Whether the server can take requests' })
  @ApiOkResponse({ type: ReadinessDto })
  @ApiServiceUnavailableResponse({
    type: ProbeErrorDto,
    description: 'The database does not answer, a required MCP server is not available, or the server is shutting down',
  })
  async ready(): Promise<ReadinessDto> {
    const servers = await this.readiness.assertReady();
    return servers.length === 0 ? { status: 'ready' } : { status: 'ready', mcp_servers: [...servers] };
  }

  @Get('liveness')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Whether the process responds' })
  @ApiOkResponse({ type: ProbeDto })
  live(): ProbeDto {
    return { status: 'alive' };
  }
}
