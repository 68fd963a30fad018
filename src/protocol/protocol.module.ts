import { type DynamicModule, Module } from '@nestjs/common';
import { StartupError } from '../common/index.js';
import { A2aModule } from './a2a/a2a.module.js';
import { AccessApiModule } from './access/access-api.module.js';
import { AdminModule } from './admin/admin.module.js';
import { AgKitModule } from './ag-kit/ag-kit.module.js';
import { AgUiModule } from './ag-ui/ag-ui.module.js';
import { AgentApiModule } from './agent-api/agent-api.module.js';
import { AiSdkModule } from './ai-sdk/ai-sdk.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AttachModule } from './reads/attach/attach.module.js';
import { AttachmentsApiModule } from './attachments/attachments-api.module.js';
import { ChatCompletionsModule } from './chat-completions/chat-completions.module.js';
import { ReadsModule } from './reads/reads.module.js';
import { CopilotKitModule } from './copilotkit/copilotkit.module.js';
import { HttpModule } from './http/index.js';
import { McpModule } from './mcp/mcp.module.js';
import { ResponsesModule } from './responses/responses.module.js';
import { RunsModule } from './runs/runs.module.js';
import { UserSettingsApiModule } from './user-settings/user-settings-api.module.js';

/** The wires by their names: one line each. */
const WIRES = {
  'agent-api': AgentApiModule,
  responses: ResponsesModule,
  'chat-completions': ChatCompletionsModule,
  'ai-sdk': AiSdkModule,
  'ag-ui': AgUiModule,
  copilotkit: CopilotKitModule,
  'ag-kit': AgKitModule,
  runs: RunsModule,
  a2a: A2aModule,
  mcp: McpModule,
} as const;

/** The name of a wire. */
export type WireName = keyof typeof WIRES;

const ALL = Object.keys(WIRES) as WireName[];

/** The wires of a server, and its other routes. */
@Module({})
export class ProtocolModule {
  /** @throws StartupError for a wire that does not exist */
  static forWires(wires: readonly WireName[] = ALL): DynamicModule {
    const unknown = wires.filter((name) => !Object.hasOwn(WIRES, name));
    if (unknown.length > 0)
      throw new StartupError(`There is no wire ${unknown.join(', ')}: choose of ${ALL.join(', ')}.`);
    return {
      module: ProtocolModule,
      imports: [
        HttpModule,
        ...ALL.filter((name) => wires.includes(name)).map((name) => WIRES[name]),
        ApprovalsModule,
        AttachModule,
        UserSettingsApiModule,
        AttachmentsApiModule,
        AdminModule,
        AccessApiModule,
        ReadsModule,
      ],
    };
  }
}
