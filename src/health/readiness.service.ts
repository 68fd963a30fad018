import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { AppError, RETRY_AFTER_SECONDS } from '../common/index.js';
import type { ToolServerState } from '../agent/tools/index.js';
import { ReadinessProbe, RemoteAgentsProbe, type RemoteAgentState, ToolServersProbe } from './ports/probes.js';

/** A database that takes longer counts as unavailable, regardless of DATABASE_WAIT_MS. */
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

/** The states of what the server reaches over the network. */
export interface ReachedParts {
  readonly servers: readonly ToolServerState[];
  readonly agents: readonly RemoteAgentState[];
}

/** Knows the states of what the server reaches over the network. */
@Injectable()
export class ReachedProbe implements ReachedParts {
  constructor(
    private readonly toolServers: ToolServersProbe,
    private readonly remoteAgents: RemoteAgentsProbe,
  ) {}

  get servers(): readonly ToolServerState[] {
    return this.toolServers.servers();
  }

  get agents(): readonly RemoteAgentState[] {
    return this.remoteAgents.views();
  }
}

/** Decides whether the server can take requests. */
@Injectable()
export class ReadinessService {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly probe: ReadinessProbe,
    private readonly reached: ReachedProbe,
    private readonly shutdown: ShutdownState,
  ) {}

  /**
   * Checks everything that the server needs. An MCP server or a remote agent that is not available affects readiness only
   * if the configuration requires it.
   *
   * @param options.showsDetails whether an error may name one of them
   * @returns the states of those that are configured
   * @throws AppError `SHUTTING_DOWN`, `DATABASE_ERROR` or `NOT_READY` (all 503)
   */
  async assertReady({ showsDetails }: { readonly showsDetails: boolean }): Promise<ReachedParts> {
    if (this.shutdown.isShuttingDown)
      throw new AppError('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    try {
      await this.checks.check([() => this.checkDatabase()]);
    } catch (error) {
      throw new AppError('DATABASE_ERROR', undefined, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const { servers, agents } = this.reached;
    const server = servers.find(isMissing);
    const agent = agents.find(isMissing);
    const missing = server ? `MCP server "${server.label}"` : agent && `remote agent "${agent.name}"`;
    if (missing !== undefined) {
      const message = showsDetails ? `The ${missing} is not available` : undefined;
      throw new AppError('NOT_READY', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    return { servers, agents };
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

function isMissing({ required, state }: { readonly required: boolean; readonly state: string }): boolean {
  return required && state !== 'up';
}
