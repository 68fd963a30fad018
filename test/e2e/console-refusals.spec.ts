import { randomUUID } from 'node:crypto';
import { describeOnDatabases } from '../support/databases.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

/** What a page disables, because the server would refuse it (contract console, sections 2.2 and 4). */
describeOnDatabases('what a caller may not do with the runs and sessions of others', (database) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ database, env: { AUTH: 'keys' } });
  });
  afterAll(() => server.close());

  const keyOf = (user: string, scopes: string[]): Promise<string> =>
    apiKey(server, { account: `k-${randomUUID()}`, user, scopes });

  async function refusalAt(path: string, key: string): Promise<string | null> {
    const answer = await fetch(server.url + path, { headers: bearer(key) });
    expect([path, answer.status]).toEqual([path, 200]);
    return ((await answer.json()) as { refusal: string | null }).refusal;
  }

  it('is said by the run and by the session, and refused', async () => {
    const session = randomUUID();
    const own = await keyOf('alice', ['runs:read', 'runs:write']);
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { ...bearer(own), 'content-type': 'application/json' },
      body: JSON.stringify({
        session_id: session,
        stream: false,
        input: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      }),
    });
    const { id } = (await answer.json()) as { id: string };
    const refusals = (key: string): Promise<unknown[]> =>
      Promise.all([refusalAt(`/api/v1/runs/${id}`, key), refusalAt(`/api/v1/sessions/${session}`, key)]);
    const scope = 'The scope runs:write is required';
    expect(await refusals(await keyOf('alice', ['runs:read']))).toEqual([scope, scope]);
    expect(await refusals(own)).toEqual([null, null]);
    const reviewer = await keyOf('eve', ['runs:read', 'runs:write', 'data:tenant']);
    expect(await refusals(reviewer)).toEqual([
      'Only runs of users that the caller may act for can be cancelled',
      'It belongs to alice, and a request that names no user is not sent in that name',
    ]);
    const cancel = { method: 'POST', headers: bearer(reviewer) };
    expect((await fetch(`${server.url}/api/v1/runs/${id}/cancel`, cancel)).status).toBe(403);
  });
});
