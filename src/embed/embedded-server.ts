import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DynamicModule, type InjectionToken, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { NestFactoryStatic } from '@nestjs/core/nest-factory.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, type Extensions } from '../app.module.js';
import { environmentOf, readConfiguration } from '../app.settings.js';
import { configureRoutes, createFastifyAdapter } from '../app.setup.js';
import { PublicAddress } from '../agent/attachment/index.js';
import { ShutdownState } from '../health/index.js';
import type { ParleyOptions } from './parley-options.js';

/** Providers of the host application, by their tokens. */
export type HostProviders = ReadonlyMap<InjectionToken, unknown>;

/** Makes providers of the host visible in every module of the embedded application. */
@Module({})
class HostModule {
  static forRoot(providers: HostProviders): DynamicModule {
    return {
      module: HostModule,
      global: true,
      providers: [...providers].map(([provide, useValue]) => ({ provide, useValue })),
      exports: [...providers.keys()],
    };
  }
}

/**
 * A Parley inside another application: a Nest application of its own, with its own container, Fastify instance and
 * configuration, which never listens. Its filters, guards, hooks, parsers and headers can therefore not reach the host.
 */
export class EmbeddedServer {
  private closing: Promise<void> | undefined;

  private constructor(
    readonly app: NestFastifyApplication,
    readonly options: ParleyOptions,
  ) {}

  /**
   * Creates the application without starting it: the database is open, no run is executed yet.
   *
   * @throws ConfigurationError, StartupError; the driver's error if the database cannot be opened
   */
  static async create(options: ParleyOptions, host: HostProviders): Promise<EmbeddedServer> {
    const { database, auth, settings, model, models, providerOptions, wires } = options;
    const given = {
      LOG_LEVEL: 'silent',
      SAMPLES: 'off',
      ...settings,
      DATABASE_URL: database ?? settings?.['DATABASE_URL'],
      AUTH: auth,
    };
    const configuration = readConfiguration(environmentOf(given), { hasModel: model !== undefined });
    const extensions: Extensions = {
      imports: [HostModule.forRoot(host)],
      providers: [...(options.agents ?? []), ...(options.tools ?? []), ...(options.providers ?? [])],
      model,
      models,
      providerOptions,
      wires,
    };
    // A factory of its own: the one of the host remembers how the host handles errors.
    const app = await new NestFactoryStatic().create<NestFastifyApplication>(
      AppModule.forRoot(configuration, extensions),
      createFastifyAdapter(configuration),
      { abortOnError: false },
    );
    leaveHooksToHost(app);
    configureRoutes(app);
    prefixAddresses(app, options.basePath);
    return new EmbeddedServer(app, options);
  }

  /**
   * Starts the application: from now on it executes runs.
   *
   * @param address the address of the host's server, once it listens
   */
  async start(address: () => ReturnType<import('node:net').Server['address']>): Promise<void> {
    this.app.get(PublicAddress, { strict: false }).reachedThrough(address, this.options.basePath);
    await this.app.init();
    // Otherwise done by `listen`: the plugins and hooks are loaded.
    await this.app.getHttpAdapter().getInstance().ready();
  }

  /** Answers a request of the host whose path is below the base path. */
  handle(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse): void {
    const { url = '/' } = request;
    request.originalUrl ??= url;
    request.url = this.pathBelow(url);
    // The host's own hooks run when the answer is complete, and read the address again.
    const restore = (): void => void (request.url = url);
    response.prependOnceListener('finish', restore).prependOnceListener('close', restore);
    this.app.getHttpServer().emit('request', request, response);
  }

  /** Whether an address is below the base path. */
  covers(url: string): boolean {
    const path = url.split('?', 1)[0] ?? '';
    return path === this.options.basePath || path.startsWith(`${this.options.basePath}/`);
  }

  /** An address of the host as the embedded application knows it. */
  pathBelow(url: string): string {
    const below = url.slice(this.options.basePath.length);
    return below.startsWith('/') ? below : `/${below}`;
  }

  /** Ends the streams, finishes or hands over the runs, and closes the database. A second call waits for the first. */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    this.app.get(ShutdownState, { strict: false }).begin();
    await this.app.close();
  }
}

/** Nest would call the lifecycle hooks of the host's providers a second time. It does not for aliases. */
function leaveHooksToHost(app: NestFastifyApplication): void {
  for (const { metatype, providers } of app.get(ModulesContainer).values()) {
    if (metatype !== HostModule) continue;
    for (const wrapper of providers.values()) {
      if (wrapper.token !== HostModule) Object.assign(wrapper, { isAlias: true });
    }
  }
}

/** The headers whose value is an address of this server. */
const ADDRESSES = ['location', 'content-location'] as const;

/** Puts the base path before the addresses in headers. */
function prefixAddresses(app: NestFastifyApplication, basePath: string): void {
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onSend', (_request, reply, _payload, done) => {
    for (const name of ADDRESSES) {
      const value = reply.getHeader(name);
      if (typeof value === 'string' && value.startsWith('/')) reply.header(name, `${basePath}${value}`);
    }
    done();
  });
}
