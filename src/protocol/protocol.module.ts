import { Module } from '@nestjs/common';
import { AgUiModule } from './ag-ui/ag-ui.module.js';
import { AgentApiModule } from './agent-api/agent-api.module.js';
import { AttachModule } from './attach/attach.module.js';
import { HttpModule } from './http/index.js';

/** All wires this server speaks: one line each. */
@Module({ imports: [HttpModule, AgentApiModule, AgUiModule, AttachModule] })
export class ProtocolModule {}
