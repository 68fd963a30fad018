import { type DynamicModule, Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost, ModulesContainer } from '@nestjs/core';
import { EmbeddedServer } from './embedded-server.js';
import { mount } from './mount.js';
import { type AsyncParleyOptions, checkOptions, type HostLink, type ParleyOptions } from './parley-options.js';

const OPTIONS = Symbol('ParleyOptions');
const EMBEDDED = Symbol('EmbeddedServer');

/**
 * Parley inside a Nest application on Fastify: all its routes under a base path, and nothing of it outside. It starts
 * and stops with the application.
 *
 * ```ts
 * @Module({ imports: [ParleyModule.forRoot({ basePath: '/agents', auth: 'keys', agents: [SupportAgent] })] })
 * export class AppModule {}
 * ```
 */
@Module({})
export class ParleyModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    @Inject(EMBEDDED) private readonly embedded: EmbeddedServer,
    private readonly host: HttpAdapterHost,
    modules: ModulesContainer,
  ) {
    endFirst(modules);
  }

  /** @throws ConfigurationError, StartupError when the application is created */
  static forRoot({ imports, inject, ...options }: ParleyOptions & HostLink): DynamicModule {
    return ParleyModule.forRootAsync({ imports, inject, useFactory: () => options });
  }

  /** As `forRoot`, with options that depend on providers of the host, such as its configuration. */
  static forRootAsync({ imports = [], inject = [], useFactory }: AsyncParleyOptions): DynamicModule {
    const tokens = [...inject];
    return {
      module: ParleyModule,
      imports: [...imports],
      providers: [
        { provide: OPTIONS, useFactory: useFactory as (...injected: unknown[]) => unknown, inject: tokens },
        {
          provide: EMBEDDED,
          useFactory: (options: ParleyOptions, ...instances: unknown[]) => {
            checkOptions(options);
            return EmbeddedServer.create(options, new Map(tokens.map((token, index) => [token, instances[index]])));
          },
          inject: [OPTIONS, ...tokens],
        },
      ],
    };
  }

  /** Starts when all modules of the host are initialised, before it listens. */
  async onApplicationBootstrap(): Promise<void> {
    await mount(this.embedded, this.host.httpAdapter);
  }

  /**
   * Ends its streams and runs before any provider of the host is destroyed, which its agents and tools may use, and
   * before the host waits for its connections.
   */
  async onModuleDestroy(): Promise<void> {
    await this.embedded.close();
  }
}

/** Nest initializes modules by their distance from the root, the farthest first, and destroys them in the opposite order. */
function endFirst(modules: ModulesContainer): void {
  for (const module of modules.values()) {
    if (module.metatype === ParleyModule) module.distance = -1;
  }
}
