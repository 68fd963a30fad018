import { type DynamicModule, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { StartupError } from '../common/index.js';
import { ToolsModule } from './tools/index.js';
import { AgentRegistry } from './agent-registry.js';
import { AgentShapes } from './agent-shapes.js';
import { MemoryAgent } from './agents/memory.agent.js';
import { ToolAgent } from './agents/tool.agent.js';
import { WorkerAgent } from './agents/worker.agent.js';
import { ModelLoop } from './model-loop.js';
import { PriceStartCheck } from './price-start-check.js';
import { ModelStartCheck } from './model-start-check.js';
import { ModelClient } from './ports/model-client.js';
import { Models } from './ports/models.js';
import { RemoteAgents } from './ports/remote-agents.js';
import { RemoteMetrics } from './remote/remote.metrics.js';
import { SummaryLabels } from './summary-labels.js';

/** What the composition root provides to the agents. */
export interface AgentModuleOptions {
  /** A provider of the token `Models`. Its main model is also the provider of `ModelClient`. */
  readonly models: Provider<Models>;
  /** A provider of the token `RemoteAgents`. Default: there are none. */
  readonly remotes?: Provider<RemoteAgents>;
  /** Whether there is an agent `worker`. Default: true. */
  readonly hasWorker?: boolean;
  /** Modules that the provider needs. */
  readonly imports?: ModuleMetadata['imports'];
}

/** What `RemoteAgents` is without remote agents. */
const NO_REMOTE_AGENTS: RemoteAgents = {
  agents: [],
  views: () => [],
  create: () => {
    throw new StartupError('This server has no remote agents');
  },
};

/** The agents and the model loop. Needs its settings from a global module. */
@Module({})
export class AgentModule {
  /** Global, so that modules with their own agents can inject `ModelLoop` without importing this one. */
  static forRoot(options: AgentModuleOptions): DynamicModule {
    return {
      module: AgentModule,
      global: true,
      imports: [DiscoveryModule, ToolsModule, ...(options.imports ?? [])],
      providers: [
        options.models,
        { provide: ModelClient, useFactory: ({ main }: Models) => main, inject: [Models] },
        options.remotes ?? { provide: RemoteAgents, useValue: NO_REMOTE_AGENTS },
        RemoteMetrics,
        AgentRegistry,
        AgentShapes,
        ModelLoop,
        ModelStartCheck,
        PriceStartCheck,
        SummaryLabels,
        ...(options.hasWorker === false ? [] : [WorkerAgent]),
        MemoryAgent,
        ToolAgent,
      ],
      exports: [AgentRegistry, AgentShapes, ModelLoop, ModelClient, Models, RemoteAgents, SummaryLabels],
    };
  }
}
