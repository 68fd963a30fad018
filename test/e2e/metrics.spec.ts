import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MetricsServer } from '../../src/telemetry/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { MetricsPage } from '../support/metrics.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

describeOnDatabases('/metrics', (openDatabase) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      database: openDatabase,
      env: { METRICS_PORT: '0' },
      model: (upstream) => upstream.onMessage(/.*/, { content: 'Hello from the model' }),
    });
  });
  afterAll(() => server.close());

  async function ask(sessionId: string): Promise<void> {
    const body = { session_id: sessionId, input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/process`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await response.text()).toContain('"completed"');
  }

  it('shows what a run did', async () => {
    await ask('metrics-1');
    const request = { method: 'POST', route: '/process', status: '2xx' };
    const counted = async (): Promise<boolean> => {
      const now = await MetricsPage.of(server);
      const open = now.value('parley_streams_open', { wire: 'agent-api' });
      return open === undefined && now.value('parley_http_requests_total', request) === 1;
    };
    await until(counted, 'the request is counted, and no stream is open');
    const page = await MetricsPage.of(server);
    expect(page.value('parley_runs_accepted_total', { wire: 'agent-api' })).toBe(1);
    expect(page.value('parley_runs_finished_total', { outcome: 'completed' })).toBe(1);
    expect(page.value('parley_runs_active')).toBe(0);
    expect(page.value('parley_run_slots')).toBeGreaterThan(0);
    expect(page.value('parley_runs_queued')).toBe(0);
    expect(page.value('parley_run_queue_oldest_seconds')).toBe(0);
    expect(page.value('parley_workers_alive', { state: 'working' })).toBe(1);
    expect(Math.abs(page.value('parley_clock_skew_seconds') ?? 99)).toBeLessThan(5);
    for (const name of ['run_duration_seconds', 'run_queue_wait_seconds', 'run_first_event_seconds']) {
      expect(page.value(`parley_${name}_count`, { agent: 'worker' })).toBe(1);
      expect(page.value(`parley_${name}_bucket`, { agent: 'worker', le: '+Inf' })).toBe(1);
    }
    expect(page.value('parley_events_committed_total')).toBeGreaterThan(3);
    expect(page.value('parley_commit_duration_seconds_count')).toBeGreaterThan(0);
    expect(page.value('parley_stream_bytes_total', { wire: 'agent-api' })).toBeGreaterThan(500);
    expect(page.value('parley_http_requests_total', { method: 'POST', route: '/process', status: '2xx' })).toBe(1);
    expect(page.value('parley_http_request_seconds_count', { route: '/process' })).toBeUndefined();
    expect(page.value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(page.value('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('has no label that tells tenants, users, sessions or runs apart', async () => {
    await ask('metrics-2');
    const { labels, text } = await MetricsPage.of(server);
    for (const name of ['tenant', 'user', 'session', 'run', 'tenant_id', 'user_id', 'session_id', 'run_id']) {
      expect(labels).not.toContain(name);
    }
    expect(text).not.toContain('metrics-2');
  });

  it('counts requests to unknown addresses together', async () => {
    await fetch(`${server.url}/no/such/page`);
    await fetch(`${server.url}/nor/this`);
    const unknown = { method: 'GET', route: 'none', status: '4xx' };
    const counted = async (): Promise<boolean> =>
      (await MetricsPage.of(server)).value('parley_http_requests_total', unknown) === 2;
    await until(counted, 'both requests are counted');
    const page = await MetricsPage.of(server);
    expect(page.text).not.toContain('such');
  });

  it('answers nothing but GET /metrics, and is not served on the port of the clients', async () => {
    const url = `http://127.0.0.1:${server.get(MetricsServer).port}`;
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`)).headers.get('content-type')).toBe(
      'text/plain; version=0.0.4; charset=utf-8',
    );
  });
});

describe('METRICS_PORT', () => {
  it('unset, no metrics are served', async () => {
    const server = await startServer();
    expect(server.get(MetricsServer).port).toBeUndefined();
    await server.close();
  });

  it('of another program keeps the server from starting, with a message that names it', async () => {
    const other: Server = createServer().listen(0, '127.0.0.1');
    await until(() => other.listening, 'the other program listens');
    const { port } = other.address() as AddressInfo;
    await expect(startServer({ env: { METRICS_PORT: String(port) } })).rejects.toThrow('METRICS_PORT');
    other.close();
  });
});
