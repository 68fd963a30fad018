import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Lets a server of any kind listen on a free port of 127.0.0.1. Returns the port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** An HTTP server on loopback that reads each request to its end before it answers it. */
export abstract class LoopbackServer {
  protected readonly server = createServer((request, response) => {
    response.on('error', () => undefined);
    this.receive(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  /** `http://127.0.0.1:<port>`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when requests are taken. */
  async listen(): Promise<this> {
    await listenOnLoopback(this.server);
    return this;
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Answers a request. The connection is cut if this throws or rejects. */
  protected abstract handle(request: IncomingMessage, response: ServerResponse, body: Buffer): void | Promise<void>;

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await this.handle(request, response, Buffer.concat(chunks));
  }
}

/** Starts a server with these answers. */
export function loopbackServer(
  handle: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void | Promise<void>,
): Promise<LoopbackServer> {
  return new (class extends LoopbackServer {
    protected override handle = handle;
  })().listen();
}
