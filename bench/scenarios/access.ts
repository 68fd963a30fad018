import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpConnection } from '../load/http-connection.js';
import { ServerProcess } from '../process.js';
import { type Bench, median, range } from '../report.js';
import { TokenIssuer } from '../token-issuer.js';
import type { Size } from './size.js';

const CONNECTIONS = 16;
const REQUESTS = 8000;
const WARM_UP = 4000;
/** No request of this row calls the model. */
const NO_MODEL = 'http://127.0.0.1:9/v1';
/** A route for every caller that reads nothing. */
const PATH = '/whoami';
/** Limits that count every request in two windows, as the default ones do, and refuse none. */
const UNREACHED = { perMinute: 1_000_000_000, burst: 100_000_000 };
/** The most processor time that a credential may cost, in microseconds. */
const TARGETS = { key: 20, token: 30 } as const;

/** A1: the processor time that a credential costs per request, beside a server without authentication. */
export async function accessCost({ report }: Bench, { quick, rounds }: Size): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const file = join(folder, 'limits.json');
  writeFileSync(file, JSON.stringify({ user: { requests: UNREACHED }, tenant: { requests: UNREACHED } }));
  const issuer = await TokenIssuer.start();
  const open = await ServerProcess.start('parley', { AUTH: 'none', BENCH_MODEL_URL: NO_MODEL });
  const closed = await ServerProcess.start('parley', {
    AUTH: 'keys,oidc',
    OIDC_ISSUERS: issuer.setting,
    LIMITS_FILE: file,
    BENCH_MODEL_URL: NO_MODEL,
  });
  const { key = '' } = await closed.ask({ ask: 'key' });
  const cells = [
    { name: 'none', server: open, headers: '' },
    { name: 'key', server: closed, headers: bearer(key) },
    { name: 'token', server: closed, headers: bearer(issuer.token()) },
  ] as const;
  const found: Record<(typeof cells)[number]['name'], number[]> = { none: [], key: [], token: [] };
  for (const { server, headers } of cells) await costOf(server, headers, WARM_UP);
  // All of a round are measured one after the other, so that the machine is the same for them.
  for (let round = 0; round < (quick ? 1 : rounds); round += 1) {
    for (const { name, server, headers } of cells) found[name].push(await costOf(server, headers, REQUESTS));
  }
  await Promise.all([open.stop(), closed.stop()]);
  issuer.close();
  rmSync(folder, { recursive: true, force: true });
  report.baseline(found.none);
  for (const name of ['key', 'token'] as const) {
    const added = found[name].map((cost, round) => cost - (found.none[round] ?? NaN));
    const what = name === 'key' ? 'an API key in the cache' : 'a known token';
    report.add({
      id: 'A1',
      scenario: `GET ${PATH} with ${what}: processor time beside AUTH=none`,
      target: `<= ${TARGETS[name]} us`,
      reached: `${median(added).toFixed(1)} us`,
      met: median(added) <= TARGETS[name],
      notes: `rounds ${range(added, 1)}; a request needs ${range(found[name], 1)} us, with AUTH=none ${range(found.none, 1)} us`,
    });
  }
}

/** Processor time of the server per request, in microseconds. @throws Error for an answer other than 200 */
async function costOf(server: ServerProcess, headers: string, requests: number): Promise<number> {
  const connections = Array.from({ length: CONNECTIONS }, () => new HttpConnection(server.port));
  const before = await server.cpu();
  await Promise.all(connections.map((connection) => repeat(connection, headers, requests / CONNECTIONS)));
  const after = await server.cpu();
  for (const connection of connections) connection.destroy();
  return (after - before) / requests;
}

async function repeat(connection: HttpConnection, headers: string, times: number): Promise<void> {
  let answered = 200;
  const reader = { head: (status: number) => void (answered = status), body: () => undefined };
  for (let count = 0; count < times; count += 1) {
    await connection.request(PATH, undefined, headers, reader);
    if (answered !== 200) throw new Error(`${PATH} was answered with ${answered}`);
  }
}

function bearer(token: string): string {
  return `authorization: Bearer ${token}\r\n`;
}
