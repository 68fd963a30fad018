import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { AppError, RETRY_AFTER_SECONDS } from '../common/index.js';
import type { ToolServerState } from '../tools/index.js';
import { ReadinessProbe, ToolServersProbe } from './ports/probes.js';

/** A database that takes longer counts as unavailable, whatever DATABASE_WAIT_MS is. */
const PING_TIMEOUT_MS = 2000;

/** Whether the server has begun to stop, which a load balancer must know before requests fail. */
@Injectable()
export class ShutdownState implements OnModuleDestroy {
  private stopping = false;

  get isShuttingDown(): boolean {
    return this.stopping;
  }

  /** Makes the server not ready. Called before anything is drained. */
  begin(): void {
    this.stopping = true;
  }

  onModuleDestroy(): void {
    this.begin();
  }
}

/** Decides whether the server can take requests. */
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
   * Checks everything that the server needs. An MCP server that is not available affects readiness only if the
   * configuration requires it.
   *
   * @param options.showsDetails whether an error may name an MCP server
   * @returns the states of the configured MCP servers
   * @throws AppError `SHUTTING_DOWN`, `DATABASE_ERROR` or `NOT_READY` (all 503)
   */
  async assertReady({ showsDetails }: { readonly showsDetails: boolean }): Promise<readonly ToolServerState[]> {
    if (this.shutdown.isShuttingDown)
      throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    try {
      await this.checks.check([() => this.checkDatabase()]);
    } catch (error) {
      throw new AppError('DATABASE_ERROR', undefined, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const servers = this.toolServers.servers();
    const missing = servers.find(({ required, state }) => required && state !== 'up');
    if (missing) {
      const message = showsDetails ? `The MCP server "${missing.label}" is not available` : undefined;
      throw new AppError('NOT_READY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
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
    const isUp = await Promise.race([answered, timeout]);
    clearTimeout(timer);
    return isUp ? indicator.up() : indicator.down();
  }
}
