import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { LoopbackServer } from './loopback-server.js';

/** A request to a receiver. */
export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp?: string; readonly data: Record<string, unknown> };
}

/** Receives webhooks on this machine. */
export class WebhookReceiver extends LoopbackServer {
  readonly received: ReceivedHook[] = [];
  /** What the next requests are answered with; then 200. */
  readonly answers: (number | { readonly status: number; readonly headers: Record<string, string> })[] = [];
  /** The answer to a request, in place of `answers`: a status, or `hang` for none at all. */
  answer: ((hook: ReceivedHook) => number | 'hang') | undefined;

  /** @param path by which requests of several endpoints are told apart */
  urlOf(path = '/'): string {
    return `${this.url}${path}`;
  }

  at(path: string): readonly ReceivedHook[] {
    return this.received.filter((one) => one.path === path);
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
    const { url: path = '', headers: sent } = request;
    const text = bytes.toString();
    const hook = { path, headers: sent, text, body: JSON.parse(text) as ReceivedHook['body'] };
    this.received.push(hook);
    const next = this.answer?.(hook) ?? this.answers.shift() ?? 200;
    if (next === 'hang') return;
    const { status, headers } = typeof next === 'number' ? { status: next, headers: {} } : next;
    response.writeHead(status, headers).end('thanks');
  }
}
