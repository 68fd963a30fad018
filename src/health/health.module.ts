import { type DynamicModule, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { type ReadinessProbe, RemoteAgentsProbe, ToolServersProbe } from './ports/probes.js';
import { ReachedProbe, ReadinessService, ShutdownState } from './readiness.service.js';

/** What the health routes ask. */
export interface HealthOptions {
  /** Binds `ReadinessProbe`, for example `{ provide: ReadinessProbe, useExisting: Database }`. */
  readonly readiness: Provider<ReadinessProbe>;
  /** Binds `ToolServersProbe`; by default there are no tool servers. */
  readonly toolServers?: Provider<ToolServersProbe>;
  /** Binds `RemoteAgentsProbe`; by default there are no remote agents. */
  readonly remoteAgents?: Provider<RemoteAgentsProbe>;
  /** Modules that export the providers that these use. */
  readonly imports?: ModuleMetadata['imports'];
}

/** The routes for people, load balancers and process supervisors. */
@Module({})
export class HealthModule {
  static forRoot({
    readiness,
    toolServers = { provide: ToolServersProbe, useValue: { servers: () => [] } },
    remoteAgents = { provide: RemoteAgentsProbe, useValue: { views: () => [] } },
    imports = [],
  }: HealthOptions): DynamicModule {
    return {
      module: HealthModule,
      imports: [TerminusModule.forRoot({ logger: false }), ...imports],
      controllers: [HealthController],
      providers: [readiness, toolServers, remoteAgents, ReachedProbe, ReadinessService, ShutdownState],
      exports: [ShutdownState],
    };
  }
}
