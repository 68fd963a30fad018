import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { NAMED_USERS } from '../support/identities.js';
import { rawRequest } from '../support/raw-http.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const SAFE = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

describe('answers', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  async function headersOf(path: string, init?: RequestInit): Promise<Record<string, string>> {
    const answer = await fetch(`${server.url}${path}`, init);
    await answer.arrayBuffer();
    return Object.fromEntries(answer.headers);
  }

  it.each([
    ['JSON', '/approvals'],
    ['an error', '/nowhere'],
    ['an address that no route can take', '/process/%ff'],
    ['the API document', '/openapi.json'],
  ])('%s has headers that keep browsers from misusing it', async (_what, path) => {
    expect(await headersOf(path)).toMatchObject(SAFE);
  });

  it('JSON is not cached, and event streams keep their own rule', async () => {
    expect(await headersOf('/approvals')).toHaveProperty('cache-control', 'no-store');
    expect(await headersOf('/nowhere')).toHaveProperty('cache-control', 'no-store');
    const body = JSON.stringify({ input: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] });
    const stream = await headersOf('/process', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(stream).toMatchObject({ ...SAFE, 'content-type': expect.stringContaining('text/event-stream') });
    expect(stream['cache-control']).not.toBe('no-store');
  });

  it.each(['h2c', 'TLS/1.2'])('do not depend on the offer of another protocol: %s', async (protocol) => {
    const offer = ['connection: Upgrade, HTTP2-Settings', `upgrade: ${protocol}`, 'http2-settings: AAEAAEAAAAIAAAAB'];
    const body = JSON.stringify({ model: 'worker', input: 'hello' });
    const answers = [
      rawRequest(server.port, 'GET', '/liveness', undefined, offer),
      rawRequest(server.port, 'GET', '/approvals', undefined, offer),
      rawRequest(server.port, 'POST', '/v1/responses', body, offer),
    ];
    await until(() => answers.every(({ head }) => head !== ''), 'the answers');
    for (const { head, socket } of answers) {
      expect(head).toMatch(/^HTTP\/1.1 200 /);
      socket.destroy();
    }
  });

  it('the page of the API documents runs scripts of its own origin only, in no frame', async () => {
    const headers = await headersOf('/docs');
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(headers).toMatchObject({ 'cross-origin-opener-policy': 'same-origin', 'x-content-type-options': 'nosniff' });
  });

  it('are without Strict-Transport-Security unless every public address is https', async () => {
    expect(await headersOf('/liveness')).not.toHaveProperty('strict-transport-security');
    const secure = await startServer({ env: { PUBLIC_BASE_URL: 'https://chat.example' } });
    try {
      const answer = await fetch(`${secure.url}/liveness`);
      expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}$/);
    } finally {
      await secure.close();
    }
  });
});

describe('the HTTP server', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ env: { AUTH: 'keys' }, overrides: [NAMED_USERS] });
  });
  afterAll(() => server.close());

  async function headOf(headers: readonly string[], body?: string): Promise<string> {
    const answer = rawRequest(server.port, 'POST', '/process', body, headers);
    await until(() => answer.head !== '');
    answer.socket.destroy();
    return answer.head;
  }

  it('refuses more than 100 headers and more than 16 KiB of them', async () => {
    const credential = 'authorization: Bearer alice@acme';
    const many = Array.from({ length: 101 }, (_, index) => `x-${index}: 1`);
    expect(await headOf([credential, ...many], '{}')).toMatch(/^HTTP\/1.1 431 /);
    expect(await headOf([credential, `x-long: ${'x'.repeat(17 * 1024)}`], '{}')).toMatch(/^HTTP\/1.1 431 /);
  });

  it('refuses a request with two lengths', async () => {
    expect(await headOf(['transfer-encoding: chunked'], '{}')).toMatch(/^HTTP\/1.1 400 /);
  });

  it('answers a refused request before its body has arrived, and closes the connection', async () => {
    const answer = rawRequest(server.port, 'POST', '/process', undefined, [
      'content-type: application/json',
      'content-length: 1000000',
    ]);
    await until(() => answer.closed);
    expect(answer.head).toMatch(/^HTTP\/1.1 401 /);
    expect(answer.head.toLowerCase()).toContain('connection: close');
  });

  it('cuts a stream when what follows its request is not HTTP', async () => {
    const answer = rawRequest(server.port, 'GET', '/api/v1/runs/stream', undefined, [
      'authorization: Bearer alice@acme',
    ]);
    await until(() => answer.chunks.length > 0, 'the stream');
    answer.socket.write('no request\r\n\r\n');
    await until(() => answer.closed, 'the end of the connection');
    expect(answer.bytes.toString().match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('logs no error when a client leaves while it sends a body', async () => {
    const log = jest.spyOn(Logger.prototype, 'error');
    const left = new Promise((resolve) => {
      server.app.getHttpServer().once('request', (_: IncomingMessage, response: ServerResponse) => {
        response.once('close', () => setImmediate(resolve));
      });
    });
    const headers = ['content-type: application/json', 'content-length: 100', 'authorization: Bearer alice@acme'];
    const answer = rawRequest(server.port, 'POST', '/process', undefined, headers);
    answer.socket.end('{');
    await left;
    const logged = log.mock.calls;
    log.mockRestore();
    expect(logged).toEqual([]);
  });

  it.each([1, 6])(
    'answers a refused request with a body of %s MiB so that its client sees the answer',
    async (size) => {
      const body = JSON.stringify({ text: 'x'.repeat(size * 1024 * 1024) });
      const headers = { 'content-type': 'application/json' };
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const answer = await fetch(`${server.url}/process`, { method: 'POST', headers, body });
        expect(answer.status).toBe(401);
        expect(await answer.json()).toMatchObject({ code: 'AUTH_FAILED' });
      }
    },
  );
});
