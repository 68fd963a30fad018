import { once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { NAMED_USERS } from '../support/identities.js';
import { RawAnswer, rawRequest } from '../support/raw-http.js';
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

  it('do not depend on the header Host if the address has a host of its own', async () => {
    const hosts = ['localhost', 'evil.example'];
    const answers = hosts.map((host) => rawRequest(server.port, 'GET', `http://${host}/v1/models`));
    await until(() => answers.every(({ head }) => head !== ''), 'the answers');
    for (const { socket } of answers) socket.destroy();
    expect(answers.map(({ head }) => head.slice(0, 12))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
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

  it.each([8, 24])(
    'a client that sends all of a body of %s MiB before it reads sees why it is refused',
    async (size) => {
      const body = Buffer.alloc(size * 1024 * 1024, ' ');
      const head = ['POST /process HTTP/1.1', 'host: localhost', 'content-type: application/json'];
      const socket = connect(server.port, '127.0.0.1').pause();
      const broken: Error[] = [];
      socket.on('error', (error) => broken.push(error));
      socket.write(`${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n`);
      await new Promise((sent) => socket.write(body, sent));
      const answer = new RawAnswer(socket.resume());
      await until(() => answer.closed, 'the end of the connection');
      expect(broken).toEqual([]);
      expect(answer.head).toMatch(/^HTTP\/1.1 401 /);
      expect(answer.head.toLowerCase()).toContain('connection: close');
    },
  );

  it('does not serve a request behind one that was refused', async () => {
    const request = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n`;
    const socket = connect(server.port, '127.0.0.1');
    const answer = new RawAnswer(socket);
    socket.write(request('/process'));
    await until(() => answer.head !== '', 'the answer');
    socket.write(`${'x'.repeat(100_000)}${request('/stop')}`);
    await until(() => answer.closed, 'the end of the connection');
    expect(answer.bytes.toString().match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it.each(['/v1/models', '/nowhere', '/liveness'])('serves the absolute address of %s as its path', async (path) => {
    const statuses = [path, `http://localhost:${server.port}${path}`, `HTTP://LOCALHOST${path}?`].map(
      async (target) => {
        const answer = rawRequest(server.port, 'GET', target, undefined, ['authorization: Bearer alice@acme']);
        await until(() => answer.head !== '');
        answer.socket.destroy();
        return answer.head.split('\r\n')[0];
      },
    );
    const [first, ...others] = await Promise.all(statuses);
    expect(others).toEqual([first, first]);
  });

  it.each(['http://', 'ftp://localhost/v1/models', 'v1/models', 'http:///v1/models'])(
    'refuses the target %s',
    async (target) => {
      const answer = rawRequest(server.port, 'GET', target, undefined, ['authorization: Bearer alice@acme']);
      await until(() => answer.head !== '');
      answer.socket.destroy();
      expect(answer.head).toMatch(/^HTTP\/1.1 40[04] /);
    },
  );

  it('opens WebSockets by their absolute address', async () => {
    const { port } = server;
    const options = { port, host: '127.0.0.1', path: `http://localhost:${port}/v1/responses` };
    const headers = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', authorization: 'Bearer alice@acme' },
      ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    };
    const [answer, socket] = (await once(get({ ...options, headers }), 'upgrade')) as [IncomingMessage, Socket];
    socket.destroy();
    expect(answer.statusCode).toBe(101);
  });

  it('closes a connection on which many requests wait behind a stream', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const answer = new RawAnswer(socket);
    const request = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer alice@acme\r\n\r\n`;
    socket.write(request('/api/v1/runs/stream'));
    await until(() => answer.chunks.length > 0, 'the stream');
    socket.write(request('/liveness').repeat(64));
    socket.write(request('/liveness').repeat(1000));
    await until(() => answer.closed, 'the end of the connection');
  });
});
