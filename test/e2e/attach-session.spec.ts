import { RemovalTransaction } from '../../src/run/end/remove-runs.js';
import { RunLedger } from '../../src/run/run-ledger.js';
import { behaviour, JournalingCodeAgent, say } from '../support/code-agents.js';
import { describeOnDatabases } from '../support/databases.js';
import { pruneRuns } from '../support/ledger.js';
import { startServer, type TestServer } from '../support/server.js';
import { rawRequest } from '../support/raw-http.js';
import { until } from '../support/until.js';

describeOnDatabases('GET /runs/{runId}/events?follow=session', (open) => {
  let server: TestServer;
  let port: number;

  beforeAll(async () => {
    server = await startServer({
      database: open,
      env: { DEFAULT_AGENT: 'code-journal' },
      providers: [JournalingCodeAgent],
    });
    port = Number(new URL(server.url).port);
    behaviour.current = async function* (context) {
      const way = await context.interrupt({ reason: 'way', message: 'Which way?' });
      yield say(context, `We go ${JSON.stringify(way)}.`);
    };
  });
  afterAll(() => server.close());

  const send = async (body: object): Promise<{ runId: string; text: string }> => {
    const answer = await fetch(`${server.url}/send-message`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { runId: answer.headers.get('x-run-id') ?? '', text: await answer.text() };
  };

  /** A conversation that waits for an answer: its run, its bytes, and the question's id. */
  async function asked(conversationId: string): Promise<{ runId: string; text: string; interruptId: string }> {
    const first = await send({ conversationId, messages: [{ role: 'user', content: 'lead us' }] });
    return { ...first, interruptId: /"type":"interrupt","id":"([^"]+)"/.exec(first.text)?.[1] ?? '' };
  }

  it('one stream waits for the answer to an interrupt and continues with the run that it starts', async () => {
    const { runId, text, interruptId } = await asked('f1');
    const follower = rawRequest(port, 'GET', `/runs/${runId}/events?protocol=ag-kit&follow=session`);
    const shown = text.replace('data: [DONE]\n\n', '');
    await until(() => follower.chunks.join('') === shown, 'the question');
    const second = await send({ conversationId: 'f1', resume: { interruptId, payload: '"left"' } });
    await until(() => follower.ended, 'the end');
    expect(follower.chunks.join('').replaceAll(/^:.*\n\n/gm, '')).toBe(shown + second.text);

    const frames = (shown + second.text).match(/data: .*\n\n/g) ?? [];
    const after = frames.length - 2;
    const rest = await fetch(`${server.url}/runs/${runId}/events?protocol=ag-kit&follow=session&after=${after}`);
    expect(await rest.text()).toBe(frames.slice(after).join(''));
    const alone = await fetch(`${server.url}/runs/${runId}/events?protocol=ag-kit`);
    expect(await alone.text()).toBe(text);
    const ahead = await fetch(`${server.url}/runs/${runId}/events?protocol=ag-kit&follow=session&after=99`);
    expect([ahead.status, await ahead.json()]).toMatchObject([409, { code: 'CURSOR_AHEAD' }]);
  });

  it('a reader that reconnects with an id of the Runs API continues in the run of that id', async () => {
    const { runId, interruptId } = await asked('f4');
    const second = await send({ conversationId: 'f4', resume: { interruptId, payload: '"left"' } });
    const path = (protocol: string): string => `${server.url}/runs/${runId}/events?protocol=${protocol}&follow=session`;
    const again = (id: string, protocol = 'runs'): Promise<Response> =>
      fetch(path(protocol), { headers: { 'last-event-id': id } });
    const own = await (await fetch(`${server.url}/runs/${second.runId}/events?protocol=runs`)).text();
    const frames = own.match(/(?:^.+\n)+\n/gm) ?? [];
    const ids = frames.map((frame) => /^id: (.+)$/m.exec(frame)?.[1] ?? '');
    expect(ids[0]).toBe('2-1');
    expect(await (await again('2-1')).text()).toBe(frames.slice(1).join(''));
    expect((await again(ids.at(-1) ?? '')).status).toBe(204);
    expect([(await again('3-1')).status, (await again('0-1')).status]).toEqual([409, 400]);
    const ambiguous = await again('2', 'ag-ui');
    expect([ambiguous.status, await ambiguous.json()]).toMatchObject([400, { code: 'INVALID_PARAMETER' }]);
    const whole = await (await fetch(path('runs'))).text();
    expect(whole.endsWith(frames.slice(1).join(''))).toBe(true);
  });

  it('the stream stays open until its reader disconnects if nobody answers', async () => {
    const { runId } = await asked('f2');
    const follower = rawRequest(port, 'GET', `/runs/${runId}/events?protocol=agent-api&follow=session`);
    await until(() => follower.chunks.join('').includes('"status":"completed"'), 'the end of the first run');
    expect(follower.ended).toBe(false);
    expect(follower.chunks.join('')).not.toContain('[DONE]');
    follower.socket.destroy();
  });

  it.each(['run', 'session'])('a run whose events were removed answers 410 (follow=%s)', async (follow) => {
    behaviour.current = async function* (context) {
      yield say(context, 'Soon forgotten.');
    };
    const conversationId = `f3 ${follow}`;
    const { runId, text } = await send({ conversationId, messages: [{ role: 'user', content: 'hi' }] });
    expect(text).toContain('Soon forgotten.');
    const pruned = await pruneRuns(server.get(RunLedger), server.get(RemovalTransaction));
    expect(pruned.runs).toBeGreaterThan(0);
    for (const query of ['', '&after=1', '&after=99', '&protocol=ag-kit', '&protocol=ag-ui']) {
      const gone = await fetch(`${server.url}/runs/${runId}/events?follow=${follow}${query}`);
      const body = (await gone.json()) as object;
      expect([query, gone.status, body]).toMatchObject([query, 410, { code: 'EVENTS_EXPIRED' }]);
      expect(body).not.toHaveProperty('details');
    }
    const again = await send({ conversationId, messages: [{ role: 'user', content: 'go on' }] });
    expect(again.text).toContain('Soon forgotten.');
  });
});
