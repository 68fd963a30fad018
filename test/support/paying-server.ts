import { randomUUID } from 'node:crypto';
import type { TestDatabase } from './databases.js';
import { apiKey, bearer } from './keys.js';
import { toolScript } from './openai-client.js';
import { SampleTools } from './sample-tools.js';
import { startServer, type TestServer } from './server.js';

/** A server with API keys whose agent needs an approval for what it is asked: `pay Ana`. */
export class PayingServer {
  /** A key of alice, who may run, read and decide. */
  key = '';

  private constructor(readonly server: TestServer) {}

  static async start(database: () => Promise<TestDatabase>): Promise<PayingServer> {
    const pay = { name: 'pay', arguments: '{"to":"Ana","amount":5}', id: 'c1' };
    const server = await startServer({
      database,
      env: { AUTH: 'keys' },
      providers: [SampleTools],
      model: (upstream) => toolScript(upstream, 'pay Ana', [pay], 'Paid.'),
    });
    const paying = new PayingServer(server);
    paying.key = await paying.keyOf('alice', ['runs:write', 'runs:read', 'approvals:decide']);
    return paying;
  }

  /** A new key of a user. */
  keyOf(user: string, scopes: string[]): Promise<string> {
    return apiKey(this.server, { account: `k-${randomUUID()}`, user, scopes });
  }

  /** What the server answers to a key, which must be 200. */
  async get<T = Record<string, unknown>>(path: string, as = this.key): Promise<T> {
    const answer = await fetch(this.server.url + path, { headers: bearer(as) });
    const text = await answer.text();
    expect({ path, status: answer.status, text: answer.ok ? '' : text }).toEqual({ path, status: 200, text: '' });
    return JSON.parse(text) as T;
  }

  /** Runs `pay Ana`, which ends with an approval. Returns the run as the list shows it. */
  async paid(as = this.key): Promise<{ id: string; sessionId: string }> {
    const threadId = randomUUID();
    const messages = [{ id: 'm-1', role: 'user', content: 'pay Ana' }];
    const body = JSON.stringify({ threadId, runId: 'run-1', messages, forwardedProps: { agent_type: 'worker' } });
    const headers = { ...bearer(as), 'content-type': 'application/json' };
    const url = `${this.server.url}/api/v1/agent/runs?prefer=stream`;
    await (await fetch(url, { method: 'POST', headers, body })).text();
    const path = `/api/v1/runs?session=${threadId}`;
    const { data } = await this.get<{ data: { id: string; sessionId: string }[] }>(path, as);
    return data[0] ?? { id: '', sessionId: '' };
  }
}
