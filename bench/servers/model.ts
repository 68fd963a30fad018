import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, pieceText, readPrompt } from '../answer.js';
import { openSideChannel } from '../side-channel.js';

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly ContentPart[] }[];
  readonly stream_options?: { readonly include_usage?: boolean };
}

interface ContentPart {
  readonly type: string;
  readonly text?: string;
}

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
const BASE = '{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench",';
const DONE = 'data: [DONE]\n\n';
const frames: string[] = [];
let streams = 0;

/**
 * A model behind the Chat Completions API: each piece of its answer is one HTTP chunk, honouring
 * back-pressure. What it answers is in the last message of the user.
 */
export function startModel(): void {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      // The list of models, which a server asks for when it starts.
      if (request.method === 'GET') return void response.writeHead(404).end();
      answer(JSON.parse(body) as ChatRequest, response).catch((error: unknown) => refuse(response, error));
    });
  });
  server.keepAliveTimeout = 120_000;
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    openSideChannel((server.address() as AddressInfo).port);
  });
}

async function answer(request: ChatRequest, response: ServerResponse): Promise<void> {
  const asked = readPrompt(lastUserText(request));
  response.writeHead(200, HEADERS);
  response.write(chunk({ role: 'assistant', content: '' }, null));
  const rest = await writeNow(response, asked);
  if (rest < asked.pieces) await writePaced(response, asked, rest);
  if (asked.hang || response.destroyed) return;
  response.write(chunk({}, 'stop'));
  if (request.stream_options?.include_usage === true) response.write(usage(asked));
  response.end(DONE);
}

/** Writes the pieces that come at once; returns the number of the next one. */
async function writeNow(response: ServerResponse, { pieces, everyMs, lead }: Answer): Promise<number> {
  const count = everyMs === 0 ? pieces : Math.min(lead, pieces);
  for (let index = 0; index < count; index += 1) {
    if (!writeOwnPacket(response, frame(index))) await drained(response);
    if (response.destroyed) return pieces;
  }
  return count;
}

/** Writes an HTTP chunk with a system call of its own, as a model does that sends each token when it has it. */
function writeOwnPacket(response: ServerResponse, text: string): boolean {
  const free = response.write(text);
  while ((response.socket?.writableCorked ?? 0) > 0) response.socket?.uncork();
  return free;
}

/** Writes one piece per period. The streams are spread over the period, as independent users are. */
function writePaced(response: ServerResponse, { pieces, everyMs }: Answer, from: number): Promise<void> {
  let index = from;
  let timer: NodeJS.Timeout | undefined;
  const phase = ((streams += 1) * 7) % everyMs;
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      clearInterval(timer);
      resolve();
    };
    const tick = (): void => {
      response.write(frame(index));
      index += 1;
      if (index === pieces) stop();
    };
    timer = setTimeout(() => (timer = setInterval(tick, everyMs)), phase);
    response.once('close', stop);
  });
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.once('drain', go).once('close', go);
  });
}

function frame(index: number): string {
  return (frames[index] ??= chunk({ content: pieceText(index) }, null));
}

function chunk(delta: object, finishReason: string | null): string {
  const choice = JSON.stringify({ index: 0, delta, finish_reason: finishReason });
  return `data: ${BASE}"choices":[${choice}]}\n\n`;
}

function usage({ pieces }: Answer): string {
  const tokens = { prompt_tokens: 10, completion_tokens: pieces, total_tokens: pieces + 10 };
  return `data: ${BASE}"choices":[],"usage":${JSON.stringify(tokens)}}\n\n`;
}

function lastUserText({ messages }: ChatRequest): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

function refuse(response: ServerResponse<IncomingMessage>, error: unknown): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(400, { 'content-type': 'text/plain' }).end(String(error));
}
