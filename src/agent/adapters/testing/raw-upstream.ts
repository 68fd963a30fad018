import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopbackServer } from '../../../../test/support/loopback-server.js';

/** A request that the upstream got. */
export interface Seen {
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/** What the upstream does with one request. */
export type Script = (response: ServerResponse) => void;

/** An HTTP server on loopback whose answers a test writes byte by byte. */
export interface RawUpstream {
  readonly url: string;
  readonly seen: Seen[];
  /** Resolves when a client has hung up on an answer that was not ended. */
  readonly hungUp: Promise<void>;
  close(): Promise<void>;
}

/** Starts an upstream that answers the nth request with the nth script, and all later ones with the last. */
export async function rawUpstream(...scripts: readonly Script[]): Promise<RawUpstream> {
  const seen: Seen[] = [];
  let hangUp = (): void => undefined;
  const hungUp = new Promise<void>((resolve) => (hangUp = resolve));
  const server = await loopbackServer(({ method, headers }, response, body) => {
    // The list of models, which the server asks for when it starts.
    if (method === 'GET') return void response.writeHead(404).end();
    const script = scripts[Math.min(seen.length, scripts.length - 1)];
    seen.push({ headers, body: JSON.parse(body.toString()) as Record<string, unknown> });
    response.on('close', () => (response.writableFinished ? undefined : hangUp()));
    script?.(response);
  });
  return { url: `${server.url}/v1`, seen, hungUp, close: () => server.close() };
}

/** Begins an event stream with chunks of these deltas, and leaves it open. */
export function begin(response: ServerResponse, ...deltas: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (const delta of deltas) send(response, { choices: [{ index: 0, delta }] });
}

/** Sends one chunk. */
export function send(response: ServerResponse, chunk: object): void {
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

/** Ends an event stream as it should end. */
export function end(response: ServerResponse, reason = 'stop', usage?: object): void {
  send(response, { choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  if (usage) send(response, { choices: [], usage });
  response.end('data: [DONE]\n\n');
}

/** Answers with an error as OpenAI writes it. */
export function refuse(status: number, message: string, headers: Record<string, string> = {}): Script {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message, type: 'error' } }));
  };
}
