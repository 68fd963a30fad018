import { Module } from '@nestjs/common';
import { WireModule } from '../wire/index.js';
import { AgentApiController } from './agent-api.controller.js';
import { AgentApiTasksController } from './agent-api-tasks.controller.js';
import { AgentApiWire } from './agent-api.wire.js';

/** The Agent API. Needs `Runs`, `IdFactory` and the settings from global modules. */
@Module({
  imports: [WireModule],
  controllers: [AgentApiController, AgentApiTasksController],
  providers: [AgentApiWire],
})
export class AgentApiModule {}
