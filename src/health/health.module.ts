import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { ReadinessService } from './readiness.service.js';
import { type ReadinessProbe } from './readiness-probe.js';
import { ShutdownState } from './shutdown-state.js';

/** The pages for people, load balancers and supervisors. */
@Module({})
export class HealthModule {
  /** @param probe binds `ReadinessProbe`, for example `{ provide: ReadinessProbe, useExisting: Database }` */
  static forRoot(probe: Provider<ReadinessProbe>): DynamicModule {
    return {
      module: HealthModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController],
      providers: [probe, ReadinessService, ShutdownState],
      exports: [ShutdownState],
    };
  }
}
