import { type DynamicModule, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { type ReadinessProbe, ToolServersProbe } from './ports/probes.js';
import { ReadinessService, ShutdownState } from './readiness.service.js';

/** The routes for people, load balancers and process supervisors. */
@Module({})
export class HealthModule {
  /**
   * @param probe binds `ReadinessProbe`, for example `{ provide: ReadinessProbe, useExisting: Database }`
   * @param toolServers binds `ToolServersProbe`; by default there are no tool servers
   * @param imports modules that export the providers that these two use
   */
  static forRoot(
    probe: Provider<ReadinessProbe>,
    toolServers: Provider<ToolServersProbe> = { provide: ToolServersProbe, useValue: { servers: () => [] } },
    imports: ModuleMetadata['imports'] = [],
  ): DynamicModule {
    return {
      module: HealthModule,
      imports: [TerminusModule.forRoot({ logger: false }), ...imports],
      controllers: [HealthController],
      providers: [probe, toolServers, ReadinessService, ShutdownState],
      exports: [ShutdownState],
    };
  }
}
