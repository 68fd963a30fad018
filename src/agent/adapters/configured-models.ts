import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleDestroy,
  OnModuleInit,
} from '@nestjs/common';
import type { ModelClient } from '../ports/model-client.js';
import { Models, type ModelSource, type NamedClient } from '../ports/models.js';

/** What the models of a process are made of. */
export interface ModelsOptions {
  /** The model of agents that name none. It is a provider of its own, so that Nest calls its lifecycle hooks. */
  readonly main: ModelClient;
  readonly named: readonly NamedClient[];
  /** Makes the client of a model that is given in code. */
  readonly create: (source: ModelSource) => ModelClient;
  /** True: `main` answers in the place of the models that agents bring in code. */
  readonly isMainForAll?: boolean;
}

/** What a client may do when the application starts and stops. */
type Hooks = Partial<
  OnModuleInit & OnApplicationBootstrap & OnModuleDestroy & BeforeApplicationShutdown & OnApplicationShutdown
>;

/** The configured models, and those that are given in code. It passes the lifecycle of the application on to them. */
export class ConfiguredModels
  extends Models
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly main: ModelClient;
  readonly named: readonly NamedClient[];
  private readonly given = new Map<ModelSource, ModelClient>();

  constructor(private readonly options: ModelsOptions) {
    super();
    this.main = options.main;
    this.named = options.named;
  }

  find(name: string): NamedClient | undefined {
    return this.named.find((one) => one.name === name);
  }

  clientOf(source: ModelSource): ModelClient {
    if (this.options.isMainForAll) return this.main;
    let client = this.given.get(source);
    if (!client) this.given.set(source, (client = this.options.create(source)));
    return client;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.each((client) => client.onModuleInit?.());
    await this.each((client) => client.onApplicationBootstrap?.());
  }

  async onModuleDestroy(): Promise<void> {
    await this.each((client) => client.onModuleDestroy?.());
  }

  async beforeApplicationShutdown(signal?: string): Promise<void> {
    await this.each((client) => client.beforeApplicationShutdown?.(signal));
  }

  async onApplicationShutdown(signal?: string): Promise<void> {
    await this.each((client) => client.onApplicationShutdown?.(signal));
  }

  /** All clients but `main`, each once. */
  private async each(call: (client: Hooks) => unknown): Promise<void> {
    const clients = new Set([...this.named.map(({ client }) => client), ...this.given.values()]);
    clients.delete(this.main);
    await Promise.all([...clients].map((client) => call(client as Hooks)));
  }
}
