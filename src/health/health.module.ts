import { type DynamicModule, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { ReadinessService } from './readiness.service.js';
import { type ReadinessProbe } from './readiness-probe.js';
import { ShutdownState } from './shutdown-state.js';
import { ToolServersProbe } from './tool-servers-probe.js';

/** The pages for people, load balancers and supervisors. */
@Module({})
export class HealthModule {
  /**
   * @param probe binds `ReadinessProbe`, for example `{ provide: ReadinessProbe, useExisting: Database }`
   * @param toolServers binds `ToolServersProbe`; without it there are none
   * @param imports modules that export what the two name
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
