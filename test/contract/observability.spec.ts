import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { MetricsPage } from '../support/metrics.js';
import { startServer, type TestServer } from '../support/server.js';

const run = promisify(execFile);
const ROOT = join(__dirname, '../..');
const PROMETHEUS = join(ROOT, 'deploy/prometheus');
const DASHBOARD = readFileSync(join(ROOT, 'deploy/grafana/parley.json'), 'utf8');
const ALERTS = readFileSync(join(PROMETHEUS, 'alerts.yaml'), 'utf8');
const RUNBOOK = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8');
const OPERATIONS = readFileSync(join(ROOT, 'docs/operations/metrics.md'), 'utf8');

/** Metrics of PostgreSQL and of the shared store, which a server on SQLite does not have; `up` is Prometheus's own. */
const ELSEWHERE = [
  'parley_db_pool_in_use',
  'parley_db_pool_waiting',
  'parley_db_pool_size',
  'parley_default_partition_rows',
  'parley_limit_store_up',
  'up',
];

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const withPromtool = hasPromtool ? it : it.skip;
if (!hasPromtool) console.warn('Tests with promtool are skipped: install the package prometheus');

/** The expressions of the dashboard or of the rules. */
function expressionsOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, expression = '']) => expression);
}

/** The metrics that an expression reads. */
function metricsIn(expression: string): readonly string[] {
  const bare = expression.replace(/\{[^}]*\}/g, '{}').replace(/"[^"]*"/g, '');
  const names = [...bare.matchAll(/\b((?:parley|gen_ai|nodejs|process)_[a-z0-9_]+)/g)].map(([, name = '']) => name);
  return names.map((name) => name.replace(/_(bucket|count|sum)$/, ''));
}

describe('the dashboard and the alerts', () => {
  let database: TestDatabase;
  let server: TestServer;
  let page: MetricsPage;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await startServer({ database, env: { METRICS_PORT: '0' } });
    const input = [{ role: 'user', content: [{ type: 'text', text: 'What is the weather in Paris?' }] }];
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ session_id: 'observed', input });
    await (await fetch(`${server.url}/process`, { method: 'POST', headers, body })).text();
    page = await MetricsPage.of(server);
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  const known = (): ReadonlySet<string> => new Set([...page.names, ...ELSEWHERE]);

  it('the dashboard shows only metrics that exist', () => {
    const { panels } = JSON.parse(DASHBOARD) as { panels: { targets?: { expr: string }[] }[] };
    const shown = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));
    expect(shown.length).toBeGreaterThan(40);
    expect(shown.filter((name) => !known().has(name))).toEqual([]);
  });

  it('the alerts read only metrics that exist', () => {
    const read = expressionsOf(ALERTS, /expr: >-\n((?: {10}.*\n)+)/g).flatMap(metricsIn);
    expect(read.length).toBeGreaterThan(10);
    expect(read.filter((name) => !known().has(name))).toEqual([]);
  });

  it('docs/operations/metrics.md lists every metric of the server, and no other', () => {
    const listed = [...OPERATIONS.matchAll(/^\| `((?:parley|gen_ai)_[a-z_]+)`/gm)].map(([, name = '']) => name).sort();
    const own = [...known()].filter((name) => /^(parley|gen_ai)_/.test(name)).sort();
    expect(listed).toEqual(own);
  });

  it('every alert names its page of the runbook, and has a test', () => {
    const anchors = new Set(
      [...RUNBOOK.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replace(/ /g, '-')),
    );
    const pages = expressionsOf(ALERTS, /runbook: docs\/runbook.md#(\S+)/g);
    const alerts = expressionsOf(ALERTS, /alert: (\S+)/g);
    expect(pages).toHaveLength(alerts.length);
    expect(pages.filter((anchor) => !anchors.has(anchor))).toEqual([]);
    const tests = readFileSync(join(PROMETHEUS, 'alerts.test.yaml'), 'utf8');
    expect(alerts.filter((alert) => !tests.includes(`alertname: ${alert}\n`))).toEqual([]);
  });

  withPromtool('promtool accepts the rules, and their tests pass', async () => {
    await run('promtool', ['check', 'rules', 'alerts.yaml'], { cwd: PROMETHEUS });
    await run('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd: PROMETHEUS });
  });

  withPromtool('promtool accepts what /metrics answers', () => {
    const { status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], {
      input: page.text,
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toBe('');
    expect(status).toBe(0);
  });
});
