import { Module } from '@nestjs/common';
import { AccessApiModule } from './access/access-api.module.js';
import { AdminModule } from './admin/admin.module.js';
import { AgKitModule } from './ag-kit/ag-kit.module.js';
import { AgUiModule } from './ag-ui/ag-ui.module.js';
import { AgentApiModule } from './agent-api/agent-api.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AttachModule } from './attach/attach.module.js';
import { AttachmentsApiModule } from './attachments/attachments-api.module.js';
import { ConsoleApiModule } from './console-api/console-api.module.js';
import { CopilotKitModule } from './copilotkit/copilotkit.module.js';
import { HttpModule } from './http/index.js';
import { ResponsesModule } from './responses/responses.module.js';
import { RunsModule } from './runs/runs.module.js';
import { UserSettingsApiModule } from './user-settings/user-settings-api.module.js';

/** All wires this server speaks: one line each. */
@Module({
  imports: [
    HttpModule,
    AgentApiModule,
    ApprovalsModule,
    ResponsesModule,
    AgUiModule,
    CopilotKitModule,
    AttachModule,
    AgKitModule,
    RunsModule,
    UserSettingsApiModule,
    AttachmentsApiModule,
    AdminModule,
    AccessApiModule,
    ConsoleApiModule,
  ],
})
export class ProtocolModule {}
