import { randomUUID } from 'node:crypto';
import {
  begin,
  end,
  rawUpstream,
  type RawUpstream,
  refuse,
  type Script,
  send,
} from '../../src/agent/adapters/testing/raw-upstream.js';
import { startServer, type TestServer } from '../support/server.js';

const BUSY = refuse(503, 'overloaded', { 'retry-after-ms': '1' });

/** The timeline of a run whose model call failed (contract console, section 3). */
describe('model calls in the timeline', () => {
  let upstream: RawUpstream;
  let server: TestServer;
  /** The run of the last `spansWith`. */
  let ended: string;

  async function runs(): Promise<readonly object[]> {
    const detail = await fetch(`${server.url}/api/v1/runs/${ended}`);
    const list = await fetch(`${server.url}/api/v1/runs`);
    return [(await detail.json()) as object, ...((await list.json()) as { data: object[] }).data];
  }

  async function spansWith(...scripts: readonly Script[]): Promise<unknown[]> {
    upstream = await rawUpstream(...scripts);
    server = await startServer({
      env: { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'sk', LLM_MODEL: 'asked', LLM_MAX_RETRIES: '1' },
    });
    const id = `run-${randomUUID()}`;
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, session_id: randomUUID(), stream: false, input }),
    });
    const run = (await answer.json()) as { id: string };
    ended = run.id;
    const timeline = await fetch(`${server.url}/api/v1/runs/${run.id}/timeline`);
    return ((await timeline.json()) as { spans: { kind: string }[] }).spans.filter(({ kind }) => kind !== 'queue');
  }
  afterEach(async () => {
    await server.close();
    await upstream.close();
  });

  it('a failed run shows the call, its error and its retries', async () => {
    const [span, ...others] = await spansWith(BUSY);
    expect(upstream.seen).toHaveLength(2);
    expect(others).toEqual([]);
    expect(span).toMatchObject({
      id: 'model:0',
      kind: 'model',
      name: 'model call 1',
      status: 'failed',
      details: {
        model: 'asked',
        error: { code: expect.stringMatching(/^MODEL_/) as string },
        retries: [{ code: expect.stringMatching(/^MODEL_/) as string, pauseMs: 1, at: expect.any(Number) as number }],
      },
    });
    expect(await runs()).toMatchObject([{ answeredBy: null }, { answeredBy: null }]);
  });

  it('a call that succeeded at the second try shows the first', async () => {
    const spans = await spansWith(BUSY, (response) => {
      begin(response, { content: 'Hello.' });
      end(response);
    });
    expect(spans).toMatchObject([{ id: 'model:0', status: 'completed', details: { retries: [{ pauseMs: 1 }] } }]);
    expect(await runs()).toMatchObject([{ answeredBy: 'asked' }, { answeredBy: 'asked' }]);
  });

  it('a run and its model calls name the model that has answered, as its server does', async () => {
    const spans = await spansWith((response) => {
      begin(response);
      send(response, { model: 'served-2026-11', choices: [{ index: 0, delta: { content: 'Hello.' } }] });
      end(response);
    });
    expect(spans).toMatchObject([{ id: 'model:0', details: { model: 'served-2026-11' } }]);
    expect(await runs()).toMatchObject([
      { model: null, answeredBy: 'served-2026-11' },
      { model: null, answeredBy: 'served-2026-11' },
    ]);
  });
});
