import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StartupError } from '../common/index.js';
import { answerAndClose, ownSocket } from '../protocol/http/index.js';
import type { EmbeddedServer } from './embedded-server.js';

/** The embedded servers of each server of a host, for its WebSockets. */
const mounted = new WeakMap<Server, EmbeddedServer[]>();

/**
 * Starts an embedded server and hands it the requests below its base path, before anything of their body is read. The
 * host's own hooks for all routes run before, and the headers that they set are part of the answer.
 *
 * @throws StartupError if the host does not use Fastify
 */
export async function mount(embedded: EmbeddedServer, adapter: AbstractHttpAdapter | undefined): Promise<void> {
  if (adapter?.getType() !== 'fastify') {
    throw new StartupError('ParleyModule needs an application with the FastifyAdapter of @nestjs/platform-fastify.');
  }
  const fastify = adapter.getInstance<FastifyInstance>();
  const server = adapter.getHttpServer() as Server;
  await embedded.start(() => server.address());
  const { basePath, webSocket = true } = embedded.options;
  fastify.register((scope, _options, done) => {
    // Bodies stay unread: the embedded server has its own parsers and limits.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    const handler = (request: FastifyRequest, reply: FastifyReply): void => pass(embedded, request, reply);
    for (const url of [basePath, `${basePath}/*`]) scope.all(url, handler);
    done();
  });
  if (webSocket) acceptUpgrades(server, embedded);
}

function pass(embedded: EmbeddedServer, { raw }: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.hijack();
  embedded.handle(raw, reply.raw);
}

/** Hands upgrades below a base path on. With a listener the server hands all upgrades to listeners, so others are refused. */
function acceptUpgrades(server: Server, embedded: EmbeddedServer): void {
  const others = mounted.get(server);
  if (others) {
    others.push(embedded);
    return;
  }
  const all = [embedded];
  mounted.set(server, all);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    ownSocket(socket);
    const { url = '/' } = request;
    const target = all.find((one) => one.covers(url));
    if (target) {
      request.url = target.pathBelow(url);
      target.app.getHttpServer().emit('upgrade', request, socket, head);
    } else if (server.listenerCount('upgrade') === 1) {
      answerAndClose(socket, 'HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    }
  });
}
