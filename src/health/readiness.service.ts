import { Injectable } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { AppError } from '../common/index.js';
import type { ToolServerState } from '../tools/index.js';
import { ReadinessProbe } from './readiness-probe.js';
import { ShutdownState } from './shutdown-state.js';
import { ToolServersProbe } from './tool-servers-probe.js';

/** A database that takes longer is not there for the purposes of a load balancer. */
const PING_TIMEOUT_MS = 2000;

/** Decides whether the server can take work now. */
@Injectable()
export class ReadinessService {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly probe: ReadinessProbe,
    private readonly toolServers: ToolServersProbe,
    private readonly shutdown: ShutdownState,
  ) {}

  /**
   * How the servers of tools stand: one that is not there costs its tools, and readiness only when the
   * configuration says that it is required.
   *
   * @throws AppError `SHUTTING_DOWN`, `DATABASE_ERROR` or `NOT_READY` (all 503)
   */
  async assertReady(): Promise<readonly ToolServerState[]> {
    if (this.shutdown.isShuttingDown) throw new AppError('SHUTTING_DOWN');
    try {
      await this.checks.check([() => this.checkDatabase()]);
    } catch (error) {
      throw new AppError('DATABASE_ERROR', undefined, { cause: error });
    }
    const servers = this.toolServers.servers();
    const missing = servers.find(({ required, state }) => required && state !== 'up');
    if (missing) throw new AppError('NOT_READY', `The MCP server "${missing.label}" is not available`);
    return servers;
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
