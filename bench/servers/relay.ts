import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSideChannel } from '../side-channel.js';

interface ModelChunk {
  readonly choices: readonly { readonly delta?: { readonly content?: string | null } }[];
}

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache, no-transform' };
const PREFIX = 'data: ';
const agent = new Agent({ keepAlive: true });

/**
 * The baseline of the rows with a model: `node:http` by hand. It asks the same model, parses its stream and
 * writes one event per piece, with kept connections and back-pressure; a client that leaves ends the model's
 * answer. No runs, no log, no checks beyond JSON.
 */
export function startRelay(modelUrl: string): void {
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
    incoming.on('end', () => relay(modelUrl, (JSON.parse(body) as { input: string }).input, response));
  });
  server.keepAliveTimeout = 120_000;
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    openSideChannel((server.address() as AddressInfo).port);
  });
}

function relay(modelUrl: string, input: string, response: ServerResponse): void {
  const body = JSON.stringify({
    model: 'bench',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: input }],
  });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const upstream = request(`${modelUrl}/chat/completions`, { agent, method: 'POST', headers }, (answer) => {
    if (answer.statusCode !== 200) {
      answer.resume();
      response.writeHead(502).end();
      return;
    }
    response.writeHead(200, HEADERS);
    pipePieces(answer, response);
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on('close', () => {
    if (!response.writableFinished) upstream.destroy();
  });
  upstream.end(body);
}

function pipePieces(answer: IncomingMessage, response: ServerResponse): void {
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith(PREFIX) && !writePiece(line.slice(PREFIX.length), response)) answer.pause();
    }
  });
  response.on('drain', () => answer.resume());
  answer.on('end', () => response.end('data: [DONE]\n\n'));
}

/** Writes the event of one piece, if there is one. Returns false if the client has to catch up. */
function writePiece(data: string, response: ServerResponse): boolean {
  if (data === '[DONE]') return true;
  const text = (JSON.parse(data) as ModelChunk).choices[0]?.delta?.content;
  if (!text) return true;
  return response.write(`data: ${JSON.stringify({ type: 'text.delta', delta: text })}\n\n`);
}
