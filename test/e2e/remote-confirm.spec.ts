import { randomUUID } from 'node:crypto';
import { responseEvents, stream, UpstreamDouble } from '../../src/agent/adapters/testing/responses-double.js';
import { Database } from '../../src/database/index.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { RUNS_USER, type Wire, WIRES } from '../support/wires.js';

interface Asked {
  readonly id: string;
  readonly status: string;
  readonly arguments: string;
  readonly resumed: string | null;
}

describe('a message that waits for an approval before a remote agent gets it', () => {
  let upstream: UpstreamDouble;
  let server: TestServer;

  beforeAll(async () => {
    upstream = await UpstreamDouble.start((response) => stream(response, responseEvents('resp_1', [['Hello.']])));
    const careful = { type: 'responses', url: upstream.url, background: false, confirm: true };
    server = await startServer({
      env: { AUTH: 'none', DEFAULT_AGENT: 'careful', REMOTE_AGENTS: JSON.stringify({ agents: { careful } }) },
    });
  });
  beforeEach(() => {
    upstream.seen.length = 0;
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  async function newest(): Promise<Asked | undefined> {
    const sql = `SELECT id, status, arguments, resumed_by_run_id AS resumed FROM interrupts ORDER BY no DESC LIMIT 1`;
    return (await server.get(Database).read.all<Asked>(sql))[0];
  }

  /** Says something over a wire, and reads the stream to its end. */
  async function say(wire: Wire, words: string): Promise<string> {
    const user = wire.name === 'runs' ? undefined : 'alice';
    const { path, body, headers = [] } = wire.say({ sessionId: randomUUID(), words, turn: 1, user });
    const named = 'model' in body ? { model: 'careful', conversation: undefined } : {};
    const props = 'forwardedProps' in body ? { forwardedProps: { agent_type: 'careful' } } : {};
    const all = Object.fromEntries(headers.map((line) => line.split(': ') as [string, string]));
    const answer = await post(path, { ...body, ...named, ...props }, all);
    const text = await answer.text();
    expect([wire.name, answer.status, answer.ok ? '' : text]).toEqual([wire.name, 200, '']);
    return text;
  }
  const decide = (wire: Wire, id: string, approve: boolean): Promise<Response> =>
    post(`/approvals/${id}`, { approve }, { 'x-user-id': wire.name === 'runs' ? RUNS_USER : 'alice' });
  async function ended(runId: string): Promise<{ readonly status: string }> {
    return until(async () => {
      const run = (await (await fetch(`${server.url}/api/v1/runs/${runId}`)).json()) as { status: string };
      return /completed|failed|succeeded/.test(run.status) && run;
    }, `the end of ${runId}`);
  }

  describe.each(WIRES.map((wire) => [wire.name, wire] as const))('over %s', (_, wire) => {
    it('goes out when a person has approved it', async () => {
      const before = await newest();
      expect(await say(wire, 'Pay Ana')).not.toContain('Hello.');
      expect(upstream.seen).toEqual([]);
      const asked = await newest();
      expect(asked).toMatchObject({ status: 'pending', arguments: '{"message":"Pay Ana"}' });
      expect(asked?.id).not.toBe(before?.id);
      expect((await decide(wire, asked?.id ?? '', true)).status).toBe(200);
      const { resumed } = (await newest()) ?? {};
      await ended(resumed ?? '');
      expect(upstream.seen).toHaveLength(1);
      expect(JSON.stringify(upstream.seen[0]?.body)).toContain('Pay Ana');
      expect((await decide(wire, asked?.id ?? '', true)).status).toBe(409);
      expect(upstream.seen).toHaveLength(1);
    });

    it('stays here when a person has denied it', async () => {
      await say(wire, 'My secret');
      const asked = await newest();
      expect((await decide(wire, asked?.id ?? '', false)).status).toBe(200);
      const { resumed, status } = (await newest()) ?? {};
      expect(status).toBe('denied');
      await ended(resumed ?? '');
      expect(upstream.seen).toEqual([]);
    });
  });
});
