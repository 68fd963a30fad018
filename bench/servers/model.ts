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
const RUN = { threadId: 'bench', runId: 'bench' };
const MESSAGE = { messageId: 'bench' };
let streams = 0;

/** What the frames of an answer are in one protocol. */
interface Dialect {
  /** Before the first piece. */
  readonly begin: string;
  /** The frame of a piece. */
  frame(index: number): string;
  /** After the last piece. */
  end(answer: Answer, request: ChatRequest): string;
}

/**
 * A model behind the Chat Completions API, and at `/ag-ui` an agent of AG-UI that says the same: each piece of the answer
 * is one HTTP chunk, honouring back-pressure. What is answered is in the last message of the user.
 */
export function startModel(): void {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      // The list of models, which a server asks for when it starts.
      if (request.method === 'GET') return void response.writeHead(404).end();
      const dialect = request.url === '/ag-ui' ? AG_UI : CHAT;
      answer(JSON.parse(body) as ChatRequest, dialect, response).catch((error: unknown) => refuse(response, error));
    });
  });
  server.keepAliveTimeout = 120_000;
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    openSideChannel((server.address() as AddressInfo).port);
  });
}

async function answer(request: ChatRequest, dialect: Dialect, response: ServerResponse): Promise<void> {
  const asked = readPrompt(lastUserText(request));
  response.writeHead(200, HEADERS);
  response.write(dialect.begin);
  const rest = await writeNow(response, asked, dialect);
  if (rest < asked.pieces) await writePaced(response, asked, dialect, rest);
  if (asked.hang || response.destroyed) return;
  response.end(dialect.end(asked, request));
}

/** Writes the pieces that come at once; returns the number of the next one. */
async function writeNow(
  response: ServerResponse,
  { pieces, everyMs, lead }: Answer,
  dialect: Dialect,
): Promise<number> {
  const count = everyMs === 0 ? pieces : Math.min(lead, pieces);
  for (let index = 0; index < count; index += 1) {
    if (!writeOwnPacket(response, dialect.frame(index))) await drained(response);
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
function writePaced(
  response: ServerResponse,
  { pieces, everyMs }: Answer,
  dialect: Dialect,
  from: number,
): Promise<void> {
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
      response.write(dialect.frame(index));
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

/** Frames that are made once. */
function cached(frame: (index: number) => string): (index: number) => string {
  const frames: string[] = [];
  return (index) => (frames[index] ??= frame(index));
}

const CHAT: Dialect = {
  begin: chunk({ role: 'assistant', content: '' }, null),
  frame: cached((index) => chunk({ content: pieceText(index) }, null)),
  end: (asked, { stream_options: options }) =>
    `${chunk({}, 'stop')}${options?.include_usage === true ? usage(asked) : ''}data: [DONE]\n\n`,
};

const AG_UI: Dialect = {
  begin: event({ type: 'RUN_STARTED', ...RUN }) + event({ type: 'TEXT_MESSAGE_START', ...MESSAGE, role: 'assistant' }),
  frame: cached((index) => event({ type: 'TEXT_MESSAGE_CONTENT', ...MESSAGE, delta: pieceText(index) })),
  end: () => event({ type: 'TEXT_MESSAGE_END', ...MESSAGE }) + event({ type: 'RUN_FINISHED', ...RUN }),
};

function event(fields: object): string {
  return `data: ${JSON.stringify(fields)}\n\n`;
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
