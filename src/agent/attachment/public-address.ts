import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ServerSettings } from '../../config/index.js';

/** Where a server listens, as `Server.address` returns it. */
type ServerAddress = () => AddressInfo | string | null;

/** The addresses at which clients reach this server. */
@Injectable()
export class PublicAddress {
  private mount: { readonly address: ServerAddress; readonly basePath: string } | undefined;

  constructor(
    private readonly server: ServerSettings,
    private readonly host: HttpAdapterHost,
  ) {}

  /** Sets the server and the path of it through which clients reach this one, which does not listen itself. */
  reachedThrough(address: ServerAddress, basePath: string): void {
    this.mount = { address, basePath };
  }

  /** The base of signed URLs, without a trailing slash. */
  get base(): string {
    const [configured] = this.server.publicBases;
    if (configured !== undefined) return configured;
    const { host } = this.server;
    const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
    return `http://${name.includes(':') ? `[${name}]` : name}:${this.port}${this.mount?.basePath ?? ''}`;
  }

  /** The configured addresses, or that of signed URLs. */
  get bases(): readonly string[] {
    const { publicBases } = this.server;
    return publicBases.length > 0 ? publicBases : [this.base];
  }

  /** The addresses that a description of the API names: the configured ones, or the path below which it is served. */
  get documented(): readonly string[] {
    const { publicBases } = this.server;
    return publicBases.length > 0 ? publicBases : [this.mount?.basePath ?? '/'];
  }

  /** Whether a URL may be one of this server. True for every URL when no address is configured: its signature decides. */
  covers(url: URL): boolean {
    const bases = this.server.publicBases;
    return bases.length === 0 || bases.some((base) => url.href.startsWith(`${base}/`));
  }

  /** The port that the server listens on; the configured one may be 0. */
  private get port(): number {
    const server = this.host.httpAdapter?.getHttpServer() as
      { address?: () => AddressInfo | string | null } | undefined;
    const address = this.mount ? this.mount.address() : server?.address?.();
    return typeof address === 'object' && address ? address.port : this.server.port;
  }
}
