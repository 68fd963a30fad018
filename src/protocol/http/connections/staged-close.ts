import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { closeInStages } from './raw-answer.js';

/** Answers from which on a request is refused. */
const REFUSED = 400;

/**
 * Lets clients that are refused while they send a body see the answer: their connections are closed as `closeInStages`.
 * Call it before other hooks are registered.
 */
export function registerStagedClose(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    if (!socket.writableEnded) {
      done();
      return;
    }
    // Sent behind a request whose answer was the last one: nobody can be answered any more.
    reply.hijack();
    socket.destroy();
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.statusCode >= REFUSED && isSending(request) && endsConnection(reply)) stageClose(request);
    done();
  });
}

function isSending({ raw }: FastifyRequest): boolean {
  if (raw.complete) return false;
  return raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
}

function endsConnection(reply: FastifyReply): boolean {
  return reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;
}

/** Node closes a connection with `destroySoon` after its last answer, and when what follows cannot be read. */
function stageClose({ raw }: FastifyRequest): void {
  const { socket } = raw;
  let isClosing = false;
  socket.destroySoon = () => {
    if (isClosing) socket.destroy();
    else closeInStages(socket, raw);
    isClosing = true;
  };
}
