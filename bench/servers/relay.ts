import { randomUUID } from 'node:crypto';
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
 * writes one event per piece, in the shape of the Responses API, with kept connections and back-pressure; a
 * client that leaves ends the model's answer. No runs, no log, no checks beyond JSON.
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
  const itemId = `msg_${randomUUID()}`;
  let sequence = 0;
  let rest = '';
  answer.setEncoding('utf8');
  answer.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const delta = line.startsWith(PREFIX) ? pieceOf(line.slice(PREFIX.length)) : undefined;
      if (delta && !response.write(eventOf(delta, itemId, (sequence += 1)))) answer.pause();
    }
  });
  response.on('drain', () => answer.resume());
  answer.on('end', () => response.end('data: [DONE]\n\n'));
}

/** The text of a piece of the model; empty or undefined if its chunk has none. */
function pieceOf(data: string): string | null | undefined {
  return data === '[DONE]' ? undefined : (JSON.parse(data) as ModelChunk).choices[0]?.delta?.content;
}

function eventOf(delta: string, itemId: string, sequence: number): string {
  const event = {
    type: 'response.output_text.delta',
    sequence_number: sequence,
    item_id: itemId,
    output_index: 0,
    content_index: 0,
    delta,
    logprobs: [],
  };
  return `event: response.output_text.delta\ndata: ${JSON.stringify(event)}\n\n`;
}
