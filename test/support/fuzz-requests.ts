import openapi from '../../docs/openapi.json';
import { clientFrame, openingRequest } from './raw-web-socket.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'PURGE'];
const TARGETS = ['*', '//', '/%ff', '/../..', 'http://localhost/v1/models', 'localhost:1', '/nowhere?a[]=1&a=2'];
const VALUES = [null, true, 0, -1, 1e308, '', 'x', 'ä€😀', '\u0000', '\ud800', [], {}, '{"a":1}', '__proto__'];
const MESSAGE = { role: 'user', content: [{ type: 'text', text: 'count to 30 slowly' }] };
/** Requests that start something, by their path. */
const VALID: Readonly<Record<string, object>> = {
  '/process': { input: [MESSAGE] },
  '/v1/responses': { model: 'default', input: 'count to 30 slowly', stream: true },
  '/ai-sdk': {
    ...{ id: 'c', trigger: 'submit-message' },
    messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'count to 30 slowly' }] }],
  },
  '/a2a': {
    ...{ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage' },
    params: { message: { messageId: 'm', contextId: 'c', parts: [{ text: 'count to 30 slowly' }] } },
  },
  '/a2a/message:stream': { message: { messageId: 'm', contextId: 'c', parts: [{ text: 'count to 30 slowly' }] } },
  '/ag-ui': {
    ...{ threadId: 't', runId: 'r', state: {}, tools: [], context: [], forwardedProps: {} },
    messages: [{ id: 'm', role: 'user', content: 'count to 30 slowly' }],
  },
};
/** Members of the largest bodies, and nesting of the deepest. */
const MEMBERS = 20_000;
const DEPTH = 200;

/** Makes requests of a client that keeps no rule, the same ones for the same random numbers. */
export class FuzzRequests {
  private readonly routes = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );

  /**
   * @param random numbers from 0 up to 1
   * @param credential a header; undefined: none is sent
   */
  constructor(
    private readonly random: () => number,
    private readonly credential: string | undefined,
  ) {}

  /** One of several. */
  one<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T;
  }

  /** True with a probability. */
  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** A whole number below a limit, mostly a small one. */
  below(limit: number): number {
    return Math.floor(limit * this.random() ** 4);
  }

  /** The bytes of a request, or of several, with whatever is wrong with them. */
  request(): Buffer {
    const request = this.chance(0.2) ? this.upgrade() : this.ordinary();
    if (this.chance(0.1)) return Buffer.concat(Array.from({ length: this.below(100) + 1 }, () => request));
    if (this.chance(0.1)) return this.damaged(request);
    return request;
  }

  /** A frame of a WebSocket: a message, a control frame, a part of one, or no frame. */
  frame(): Buffer {
    const text = this.chance(0.3)
      ? JSON.stringify({ type: 'response.create', model: 'default', input: 'count to 30 slowly' })
      : this.json();
    if (this.chance(0.2)) return clientFrame(text, this.below(16), this.below(2 ** 31));
    return this.chance(0.1) ? this.damaged(clientFrame(text)) : clientFrame(text, this.one([1, 1, 1, 2]));
  }

  private upgrade(): Buffer {
    const target = this.chance(0.7) ? '/v1/responses' : this.target(this.one(this.routes).path);
    const request = openingRequest(target, this.headers());
    return Buffer.from(this.chance(0.3) ? request.replace(/Sec-WebSocket-\w+: .*\r\n/, '') : request);
  }

  private ordinary(): Buffer {
    const { path, method } = this.chance(0.9) ? this.one(this.routes) : { path: this.one(TARGETS), method: 'GET' };
    const sent = this.chance(0.95) ? method : this.one(METHODS);
    const body = ['GET', 'HEAD'].includes(sent) && this.chance(0.9) ? undefined : this.body(path);
    const head = [`${sent} ${this.target(path)} HTTP/1.${this.chance(0.95) ? 1 : 0}`, 'host: 127.0.0.1'];
    head.push(...this.headers());
    if (body === undefined) return Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
    head.push(
      `content-type: ${this.chance(0.9) ? 'application/json' : this.one(['text/plain', 'multipart/form-data'])}`,
    );
    if (this.chance(0.2)) {
      const size = this.chance(0.9) ? body.length.toString(16) : this.one(['', 'x', 'ffffffffffffffff', '-1']);
      return Buffer.from(
        `${head.join('\r\n')}\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\n${body.toString('latin1')}\r\n0\r\n\r\n`,
      );
    }
    const length = this.chance(0.9) ? body.length : this.below(2 ** 31);
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\ncontent-length: ${length}\r\n\r\n`), body]);
  }

  private target(path: string): string {
    const filled = path.replaceAll(/\{\w+\}/g, () =>
      encodeURIComponent(this.one(['a', 'default', '%00', 'ä', 'x'.repeat(300)])),
    );
    return this.chance(0.2)
      ? `${filled}?${this.one(['limit=5', 'cursor=x', 'wait=1', 'stream=true', '%', 'a=%ff'])}`
      : filled;
  }

  private headers(): string[] {
    const headers = this.credential !== undefined && this.chance(0.8) ? [this.credential] : [];
    if (this.chance(0.1)) headers.push(`x-user-id: ${this.one(['alice', 'x'.repeat(300), '%'])}`);
    if (this.chance(0.1)) headers.push(`x-long: ${'x'.repeat(this.below(20_000))}`);
    if (this.chance(0.05)) headers.push('expect: 100-continue');
    if (this.chance(0.05)) headers.push(`connection: ${this.one(['close', 'upgrade', 'keep-alive'])}`);
    if (this.chance(0.05)) headers.push(...Array.from({ length: this.below(150) }, (_, index) => `x-${index}: 1`));
    return headers;
  }

  private body(path: string): Buffer {
    const valid = VALID[path];
    if (valid && this.chance(0.5)) return Buffer.from(JSON.stringify(valid));
    if (valid && this.chance(0.5)) {
      const others = JSON.stringify(valid).slice(0, -1);
      return Buffer.from(`${others},"${this.one(Object.keys(valid))}":${this.json()}}`);
    }
    return Buffer.from(this.json());
  }

  /** JSON text of many members, of deep ones, of a long text, or of a few odd values. */
  private json(): string {
    const kind = this.random();
    if (kind < 0.1) return JSON.stringify(Object.fromEntries(this.many((index) => [`k${index}`, this.one(VALUES)])));
    if (kind < 0.2) return JSON.stringify({ messages: this.many(() => this.one(VALUES)) });
    if (kind < 0.3) return '['.repeat(this.below(DEPTH)) + ']'.repeat(this.below(DEPTH));
    if (kind < 0.35) return JSON.stringify({ input: 'x'.repeat(this.below(1_000_000)) });
    const names = ['input', 'messages', 'id', 'stream', 'tools', 'state', 'user', 'model', 'constructor', 'resume'];
    return JSON.stringify(Object.fromEntries([1, 2, 3].map(() => [this.one(names), this.one(VALUES)])));
  }

  private many<T>(make: (index: number) => T): T[] {
    return Array.from({ length: this.below(MEMBERS) }, (_, index) => make(index));
  }

  private damaged(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    for (let count = 0; count < 3; count += 1) copy[this.below(copy.length)] = Math.floor(this.random() * 256);
    return copy;
  }
}
