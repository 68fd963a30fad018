import type { ServerResponse } from 'node:http';
import { loopbackServer } from '../../../../test/support/loopback-server.js';

/** A request body as a server reads it. */
export interface ChatBody {
  readonly [name: string]: unknown;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
}

/** A message of a request. */
export interface ChatMessage {
  readonly [name: string]: unknown;
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly ChatCall[];
}

/** A call of a request. */
export interface ChatCall {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A tool of a request. */
export interface ChatTool {
  readonly type: string;
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown };
}

/** How a server refuses a request: its status, and its body as JSON or as text. */
export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

/** A rule of a strict server: the refusal of a request, or undefined if it takes it. */
export type StrictRule = (body: ChatBody, path: string) => Refusal | undefined;

/** A delta of an answer, as the server writes it. */
export type Delta = Readonly<Record<string, unknown>>;

/** A model server on loopback that refuses what its rules refuse. */
export interface StrictServer {
  /** With `/v1`. */
  readonly url: string;
  /** All requests, in order. */
  readonly seen: readonly ChatBody[];
  readonly headers: readonly Readonly<Record<string, string | string[] | undefined>>[];
  /** Those that were refused. */
  readonly refused: readonly Refusal[];
  /** The deltas of the next answers; without any, an answer is `ok`. */
  readonly answers: (readonly Delta[])[];
  /** The list of models; undefined: there is none. */
  models: unknown;
  close(): Promise<void>;
}

/** Starts a server with these rules. The first rule with a refusal counts. */
export async function strictServer(...rules: readonly StrictRule[]): Promise<StrictServer> {
  const seen: ChatBody[] = [];
  const headers: StrictServer['headers'][number][] = [];
  const refused: Refusal[] = [];
  const answers: (readonly Delta[])[] = [];
  const server = await loopbackServer((incoming, response, bytes) => {
    if (incoming.method !== 'POST') {
      const list = strict.models;
      return void response.writeHead(list ? 200 : 404).end(JSON.stringify(list ?? { detail: 'Not Found' }));
    }
    const body = JSON.parse(bytes.toString()) as ChatBody;
    seen.push(body);
    headers.push(incoming.headers);
    for (const rule of rules) {
      const refusal = rule(body, incoming.url ?? '');
      if (!refusal) continue;
      refused.push(refusal);
      return refuseWith(response, refusal);
    }
    answerWith(response, answers.shift() ?? [{ content: 'ok' }]);
  });
  const url = `${server.url}/v1`;
  const strict: StrictServer = { url, seen, headers, refused, answers, models: undefined, close: () => server.close() };
  return strict;
}

function refuseWith(response: ServerResponse, { status, body }: Refusal): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
  response.end(isText ? body : JSON.stringify(body));
}

function answerWith(response: ServerResponse, deltas: readonly Delta[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (choice: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
  const reason = deltas.some((delta) => 'tool_calls' in delta) ? 'tool_calls' : 'stop';
  for (const delta of deltas) response.write(chunk({ delta }));
  response.end(`${chunk({ delta: {}, finish_reason: reason })}data: [DONE]\n\n`);
}

/** A refusal as OpenAI writes it. */
export function openAiRefusal(message: string, param: string | null, code: string | null = null): Refusal {
  return { status: 400, body: { error: { message, type: 'invalid_request_error', param, code } } };
}
