import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { runCli } from '../../src/cli/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { bearer } from '../support/keys.js';
import { ServerProcess } from '../support/server-process.js';
import { issuerKey, TokenIssuer } from '../support/token-issuer.js';
import { until } from '../support/until.js';

/** Within which a revocation holds in every process, and within which streams end, in milliseconds (contract access, sections 3.1 and 3.6). */
const REVOKED_MS = 5000;
const STREAMS_END_MS = 15_000;
/** Clients that ask for as much as they can are beyond the default limits. */
const NO_LIMITS = { requests: { perMinute: 1_000_000, burst: 1_000_000 } };

/** Clients of several servers that ask with one credential after the other, each as fast as it can. */
class Load {
  /** When requests were let in, in milliseconds since the epoch. */
  readonly accepted: number[] = [];
  /** The statuses of all other answers. */
  readonly refused: number[] = [];
  private isOver = false;
  private readonly clients: readonly Promise<void>[];

  constructor(
    urls: readonly string[],
    private readonly credential: () => string,
  ) {
    this.clients = urls.flatMap((url) => Array.from({ length: 5 }, () => this.ask(url)));
  }

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }

  private async ask(url: string): Promise<void> {
    while (!this.isOver) {
      const answer = await fetch(`${url}/v1/models`, { headers: bearer(this.credential()) });
      await answer.arrayBuffer();
      if (answer.status === 200) this.accepted.push(Date.now());
      else this.refused.push(answer.status);
    }
  }
}

/** A Responses WebSocket whose messages are kept. */
class WatchedSocket {
  readonly messages: { readonly type: string; readonly response?: { readonly id: string } }[] = [];
  /** The code with which it was closed. */
  closed: number | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) =>
      this.messages.push(JSON.parse(data.toString()) as WatchedSocket['messages'][0]),
    );
    socket.on('close', (code) => (this.closed = code));
  }

  static async open(url: string, secret: string): Promise<WatchedSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, { headers: bearer(secret) });
    const watched = new WatchedSocket(socket);
    await once(socket, 'open');
    return watched;
  }

  send(request: object): void {
    this.socket.send(JSON.stringify({ type: 'response.create', ...request }));
  }

  close(): void {
    this.socket.close();
  }
}

describeOnDatabases('credentials that end under load, with two processes', (openDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-limits-'));
  let database: TestDatabase;
  let issuer: TokenIssuer;
  let servers: readonly ServerProcess[] = [];

  beforeAll(async () => {
    database = await openDatabase();
    issuer = await TokenIssuer.start(await issuerKey('first'));
    const file = join(folder, 'limits.json');
    writeFileSync(file, JSON.stringify({ user: NO_LIMITS, tenant: NO_LIMITS }));
    const env = {
      AUTH: 'keys,oidc',
      LIMITS_FILE: file,
      OIDC_ISSUERS: JSON.stringify([
        {
          alias: 'test',
          issuer: issuer.url,
          audience: ['parley'],
          algorithms: ['ES256'],
          tenant: { fixed: 'default' },
        },
      ]),
    };
    servers = await Promise.all(['a', 'b'].map((NODE_NAME) => ServerProcess.start(database, { ...env, NODE_NAME })));
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await issuer.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const urls = (): string[] => servers.map(({ url }) => url);

  /** What a command prints to stdout. */
  async function cli(...argv: string[]): Promise<string> {
    const lines: string[] = [];
    const terminal = {
      out: (line: string) => lines.push(line),
      note: () => undefined,
      input: () => Promise.resolve(''),
    };
    expect(await runCli(argv, database.env, terminal)).toBe(0);
    return lines.join('\n');
  }

  const createKey = async (): Promise<{ id: string; secret: string }> => {
    const json = await cli('key', 'create', '--tenant', 'default', '--account', 'ci', '--json');
    return JSON.parse(json) as { id: string; secret: string };
  };

  /** Starts a long run and reads its stream to the end. */
  async function stream(
    url: string,
    key: string,
  ): Promise<{ readonly runId: string; readonly ended: Promise<number> }> {
    const answer = await fetch(`${url}/process`, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify({ input: [{ role: 'user', content: [{ type: 'text', text: 'count to 2000 slowly' }] }] }),
    });
    expect(answer.status).toBe(200);
    return { runId: answer.headers.get('x-run-id') ?? '', ended: answer.text().then(() => Date.now()) };
  }

  it('a revoked key is refused everywhere within 5 s, its streams end within 15 s, and their runs go on', async () => {
    const [revoked, other] = [await createKey(), await createKey()];
    const streams = await Promise.all(urls().map((url) => stream(url, revoked.secret)));
    const load = new Load(urls(), () => revoked.secret);
    await until(() => load.accepted.length > 100, 'requests that are let in');
    await cli('key', 'revoke', revoked.id);
    const at = Date.now();
    await until(() => load.refused.length > 0 && Date.now() - at > REVOKED_MS, 'the end of the caches');
    const ends = await Promise.all(streams.map(({ ended }) => ended));
    await load.end();
    expect(Math.max(...load.accepted) - at).toBeLessThanOrEqual(REVOKED_MS + 500);
    // After 20 invalid credentials of one address, further ones are 429; the other key still works.
    expect(load.refused[0]).toBe(401);
    expect(load.refused.filter((status) => status !== 401 && status !== 429)).toEqual([]);
    for (const end of ends) expect(end - at).toBeLessThanOrEqual(STREAMS_END_MS + 500);
    for (const { runId } of streams) {
      const answer = await fetch(`${urls()[0]}/process/${runId}`, { headers: bearer(other.secret) });
      expect([answer.status, ((await answer.json()) as { status: string }).status]).toEqual([200, 'in_progress']);
    }
  });

  it('what waits with a revoked key ends within 15 s: WebSockets, idle or not, and requests for an end', async () => {
    const [revoked, other] = [await createKey(), await createKey()];
    const url = urls()[0] ?? '';
    const open = async ({ secret }: { secret: string }): Promise<WatchedSocket> => WatchedSocket.open(url, secret);
    const [idle, busy, kept] = await Promise.all([open(revoked), open(revoked), open(other)]);
    for (const socket of [busy, kept]) socket.send({ input: 'count to 2000 slowly' });
    const ended = async (answer: Promise<Response>): Promise<readonly [number, number]> => {
      const { status } = await answer;
      return [status, Date.now()];
    };
    const headers = { ...bearer(revoked.secret), 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'default', input: 'count to 2000 slowly' });
    const waiting = ended(fetch(`${url}/v1/responses`, { method: 'POST', headers, body }));
    await until(() => busy.messages.length > 3 && kept.messages.length > 3, 'the responses');
    const id = busy.messages[0]?.response?.id ?? '';
    const polling = ended(fetch(`${url}/api/v1/agent/tasks/${id}?wait=55`, { headers }));
    await cli('key', 'revoke', revoked.id);
    const at = Date.now();
    await until(() => idle.closed !== undefined && busy.closed !== undefined, 'the sockets to close', STREAMS_END_MS);
    expect([idle.closed, busy.closed, kept.closed]).toEqual([1008, 1008, undefined]);
    for (const { messages } of [idle, busy]) expect(messages.at(-1)).toMatchObject({ type: 'error', status: 401 });
    for (const [status, end] of await Promise.all([waiting, polling])) {
      expect(status).toBe(401);
      expect(end - at).toBeLessThanOrEqual(STREAMS_END_MS + 500);
    }
    const run = await fetch(`${url}/v1/responses/${id}`, { headers: bearer(other.secret) });
    expect(await run.json()).toMatchObject({ status: 'in_progress' });
    kept.close();
  });

  it('a provider that changes its keys loses no valid token', async () => {
    let token = await issuer.token();
    const load = new Load(urls(), () => token);
    await until(() => load.accepted.length > 100, 'requests that are let in');
    const second = await issuerKey('second');
    issuer.keys = [second, ...issuer.keys];
    token = await issuer.token();
    const before = load.accepted.length;
    await until(() => load.accepted.length > before + 200, 'requests with the new key');
    issuer.keys = [second];
    token = await issuer.token({ sub: 'bob' });
    await until(() => load.accepted.length > before + 400, 'requests without the old key');
    await load.end();
    expect(load.refused).toEqual([]);
  });
});
