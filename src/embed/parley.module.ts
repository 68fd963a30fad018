import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
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
export class ParleyModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    @Inject(EMBEDDED) private readonly embedded: EmbeddedServer,
    private readonly host: HttpAdapterHost,
  ) {}

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

  /** Ends its streams before the host waits for its connections. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.embedded.close();
  }
}
