import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { WebhookStore } from './ports/webhook-store.js';
import type { Webhook } from './webhook.types.js';

/** How often a process looks whether others have changed endpoints, in milliseconds: while it announces, and while not. */
const LOOK_MS = 1000;
const IDLE_LOOK_MS = 7000;
/** How long a look may wait for others while it does not, in milliseconds. */
const IDLE_WITHIN_MS = 1000;

/**
 * The endpoints that are enabled, as this process knows them: what others change counts within ten seconds, and within
 * one while it is asked for. So the end of a run needs no statement to find out that no endpoint wants it.
 */
@Injectable()
export class WebhookDirectory implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookDirectory.name);
  private byTenant = new Map<string, Webhook[]>();
  private version = '';
  private timer: NodeJS.Timeout | undefined;
  private reading: Promise<void> = Promise.resolve();
  private isLooking = false;
  private isOver = false;
  private isUsed = false;
  private lookedAt = -Infinity;

  constructor(private readonly store: WebhookStore) {}

  /** Reads all. @throws the driver's error */
  async onModuleInit(): Promise<void> {
    await this.read();
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      if (this.isUsed) void this.look(0);
      else if (performance.now() - this.lookedAt >= IDLE_LOOK_MS) void this.look(IDLE_WITHIN_MS);
    }, LOOK_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isOver = true;
    clearInterval(this.timer);
    await this.reading;
  }

  get isEmpty(): boolean {
    return this.byTenant.size === 0;
  }

  /** Those of a tenant that are enabled. */
  of(tenantId: string): readonly Webhook[] {
    this.isUsed = true;
    return this.byTenant.get(tenantId) ?? NONE;
  }

  /** The row ids of all that are enabled. */
  rowIds(): ReadonlySet<number> {
    return new Set([...this.byTenant.values()].flat().map(({ rowId }) => rowId));
  }

  /** Reads the endpoints again, after a change of this process. @throws the driver's error */
  async read(): Promise<void> {
    const version = await this.store.version();
    const byTenant = new Map<string, Webhook[]>();
    for (const webhook of version === '' ? NONE : await this.store.enabled()) {
      const others = byTenant.get(webhook.tenantId);
      if (others) others.push(webhook);
      else byTenant.set(webhook.tenantId, [webhook]);
    }
    this.byTenant = byTenant;
    this.version = version;
  }

  /** Never throws. */
  private async look(withinMs: number): Promise<void> {
    this.isUsed = false;
    this.lookedAt = performance.now();
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const version = await this.store.version(withinMs);
      if (version !== this.version && !this.isOver)
        await (this.reading = this.read().catch((error: unknown) => this.failed(error)));
    } catch (error) {
      this.failed(error);
    } finally {
      this.isLooking = false;
    }
  }

  private failed(error: unknown): void {
    this.logger.warn(`The endpoints of webhooks cannot be read: ${String(error)}`);
  }
}

const NONE: readonly Webhook[] = [];
