import { Injectable } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { AppError } from '../common/index.js';
import { ReadinessProbe } from './readiness-probe.js';
import { ShutdownState } from './shutdown-state.js';

/** A database that takes longer is not there for the purposes of a load balancer. */
const PING_TIMEOUT_MS = 2000;

/** Decides whether the server can take work now. */
@Injectable()
export class ReadinessService {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly probe: ReadinessProbe,
    private readonly shutdown: ShutdownState,
  ) {}

  /** @throws AppError `SHUTTING_DOWN` or `DATABASE_ERROR` (both 503) */
  async assertReady(): Promise<void> {
    if (this.shutdown.isShuttingDown) throw new AppError('SHUTTING_DOWN');
    try {
      await this.checks.check([() => this.checkDatabase()]);
    } catch (error) {
      throw new AppError('DATABASE_ERROR', undefined, { cause: error });
    }
  }

  private async checkDatabase(): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check('database');
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), PING_TIMEOUT_MS);
    });
    const answered = this.probe.ping().then(
      () => true,
      () => false,
    );
    const up = await Promise.race([answered, timeout]);
    clearTimeout(timer);
    return up ? indicator.up() : indicator.down();
  }
}
