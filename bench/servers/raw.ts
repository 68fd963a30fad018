import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readScript } from '../protocol.js';
import { countWrites, openSideChannel } from '../side-channel.js';
import { pause, pieceOf } from '../source.js';

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache, no-transform' };

/** What `POST /reply` answers: the frames of a short run, recorded from Parley. */
let reply: readonly string[] = [];

async function stream(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const script = readScript(Object.fromEntries(new URL(request.url ?? '', 'http://x').searchParams));
  response.writeHead(200, HEADERS);
  for (let index = 0; index < script.n;) {
    let free = true;
    for (const end = Math.min(script.n, index + script.k); index < end; index += 1) {
      free = response.write(`data: ${JSON.stringify(pieceOf(index, script))}\n\n`);
    }
    if (!free) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    if (response.destroyed) return;
    await pause(script);
  }
  response.end();
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    JSON.parse(body);
    response.writeHead(200, HEADERS);
    for (const frame of reply) response.write(frame);
    response.end();
  });
}

/** The baseline: node:http by hand, one `write` per event, honouring back-pressure. */
export function startRaw(): void {
  const server = createServer((request, response) => {
    if (request.method === 'POST') answer(request, response);
    else void stream(request, response);
  });
  countWrites(server);
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    openSideChannel((server.address() as AddressInfo).port, (question) => {
      if (question.ask === 'reply') reply = question.frames;
      return undefined;
    });
  });
}
