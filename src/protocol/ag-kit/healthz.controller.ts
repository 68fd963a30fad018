import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Clock } from '../../common/index.js';
import { ApiAgKitRoute } from './api-docs.js';

/** The answer of `GET healthz`. */
export class HealthzDto {
  @ApiProperty({ enum: ['ok'] })
  status!: 'ok';

  @ApiProperty({ type: 'integer', description: 'The time of the server, in milliseconds since the epoch.' })
  timestamp!: number;
}

/** `GET /healthz`, where the vendor's servers have it (contract ag-kit, section 2). Whether work is taken says `/readiness`. */
@ApiTags('AG-Kit')
@Controller()
export class HealthzController {
  constructor(private readonly clock: Clock) {}

  @Get(['healthz', 'v1/aibot/bots/:agentId/healthz'])
  @ApiOkResponse({ type: HealthzDto })
  @ApiAgKitRoute('Is the server alive?', 'Answers as long as the server runs.', [])
  healthz(): HealthzDto {
    return { status: 'ok', timestamp: this.clock.now() };
  }
}
