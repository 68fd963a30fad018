import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a receiver. */
export interface ReceivedHook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: { readonly type: string; readonly timestamp?: string; readonly data: Record<string, unknown> };
}

/** Receives webhooks on this machine. */
export class WebhookReceiver {
  readonly received: ReceivedHook[] = [];
  /** What the next requests are answered with; then 200. */
  readonly answers: (number | { readonly status: number; readonly headers: Record<string, string> })[] = [];
  /** The answer to a request, in place of `answers`: a status, or `hang` for none at all. */
  answer: ((hook: ReceivedHook) => number | 'hang') | undefined;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      let text = '';
      request.on('data', (data: Buffer) => (text += data.toString()));
      request.on('end', () => {
        const hook = {
          path: request.url ?? '',
          headers: request.headers,
          text,
          body: JSON.parse(text) as ReceivedHook['body'],
        };
        this.received.push(hook);
        const next = this.answer?.(hook) ?? this.answers.shift() ?? 200;
        if (next === 'hang') return;
        const { status, headers } = typeof next === 'number' ? { status: next, headers: {} } : next;
        response.writeHead(status, headers).end('thanks');
      });
    });
  }

  listen(): Promise<this> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', () => resolve(this)));
  }

  /** @param path by which requests of several endpoints are told apart */
  url(path = '/'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  at(path: string): readonly ReceivedHook[] {
    return this.received.filter((one) => one.path === path);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
