import { Module } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { EncoderRegistry, HttpModule } from '../http/index.js';
import { AgentApiEncoder } from './agent-api.encoder.js';
import { AgentApiReader } from './agent-api.reader.js';
import { ProcessController } from './process.controller.js';
import { ResponseController } from './response.controller.js';
import { StopController } from './stop.controller.js';
import { TaskController } from './task.controller.js';

/** The Agent API. Needs `Runs`, `AppConfig` and `IdFactory` from global modules. */
@Module({
  imports: [HttpModule],
  controllers: [ProcessController, StopController, TaskController, ResponseController],
  providers: [AgentApiReader],
})
export class AgentApiModule {
  constructor(encoders: EncoderRegistry, config: AppConfig) {
    encoders.register('agent-api', () => new AgentApiEncoder(config.agentApi));
  }
}
