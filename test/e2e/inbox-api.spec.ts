import { describeOnDatabases } from '../support/databases.js';
import { bearer } from '../support/keys.js';
import { PayingServer } from '../support/paying-server.js';
import type { TestServer } from '../support/server.js';

/** Interrupts and the titles of sessions (contract console, sections 4 and 9). */
describeOnDatabases('what the inbox reads', (database) => {
  let paying: PayingServer;
  let server: TestServer;
  let key: string;

  beforeAll(async () => {
    paying = await PayingServer.start(database);
    ({ server, key } = paying);
  });
  afterAll(() => server.close());

  /** Answers an interrupt, and waits for the end of the run that continues. */
  async function decide(id: string, body: object): Promise<void> {
    const headers = { ...bearer(key), 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/interrupts/${id}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const { resumedByRunId } = (await answer.json()) as { resumedByRunId: string };
    await (await fetch(`${server.url}/runs/${resumedByRunId}/events`, { headers })).text();
  }

  it('a session keeps its title when a decision continues it', async () => {
    const { sessionId } = await paying.paid();
    const inbox = `/interrupts?session_id=${sessionId}`;
    const [asked] = (await paying.get<{ data: { id: string }[] }>(inbox)).data;
    await decide(asked?.id ?? '', { approve: true });
    expect(await paying.get(`/api/v1/sessions/${sessionId}`)).toMatchObject({
      title: 'pay Ana',
      lastRun: { status: 'completed', input: null, waitsFor: null },
    });
  });

  it('an interrupt names its user, agent and request, who may decide it, and why the caller may not', async () => {
    const { sessionId } = await paying.paid();
    const path = `/interrupts?session_id=${sessionId}`;
    const common = { userId: 'alice', agent: 'worker', request: 'pay Ana', approvers: null };
    expect((await paying.get(path)).data).toMatchObject([{ ...common, refusal: null }]);
    const refusal = 'The scope approvals:decide is required';
    const reader = await paying.keyOf('alice', ['runs:read']);
    expect((await paying.get(path, reader)).data).toMatchObject([{ ...common, refusal }]);
  });

  it('interrupts of several states are one list, newest first, page by page', async () => {
    const decided: string[] = [];
    for (const approve of [true, false, true]) {
      const { sessionId } = await paying.paid();
      const [asked] = (await paying.get<{ data: { id: string }[] }>(`/interrupts?session_id=${sessionId}`)).data;
      decided.unshift(asked?.id ?? '');
      await decide(decided[0] ?? '', { approve });
    }
    await paying.paid();
    const path = '/interrupts?status=approved,denied&limit=2';
    const first = await paying.get<{ data: { id: string }[]; nextCursor: string }>(path);
    const second = await paying.get<{ data: { id: string }[] }>(`${path}&cursor=${first.nextCursor}`);
    expect([...first.data, ...second.data].map(({ id }) => id).slice(0, 3)).toEqual(decided);
    for (const status of ['resolved', 'approved,', 'approved,open', ''])
      expect([
        status,
        (await fetch(`${server.url}/interrupts?status=${status}`, { headers: bearer(key) })).status,
      ]).toEqual([status, 400]);
  });
});
