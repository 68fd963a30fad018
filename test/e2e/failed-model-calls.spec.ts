import { randomUUID } from 'node:crypto';
import {
  begin,
  end,
  rawUpstream,
  type RawUpstream,
  refuse,
  type Script,
} from '../../src/agent/adapters/testing/raw-upstream.js';
import { startServer, type TestServer } from '../support/server.js';

const BUSY = refuse(503, 'overloaded', { 'retry-after-ms': '1' });

/** The timeline of a run whose model call failed (contract console, section 3). */
describe('model calls that fail, in the timeline', () => {
  let upstream: RawUpstream;
  let server: TestServer;

  async function spansWith(...scripts: readonly Script[]): Promise<unknown[]> {
    upstream = await rawUpstream(...scripts);
    server = await startServer({ env: { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'sk', LLM_MAX_RETRIES: '1' } });
    const id = `run-${randomUUID()}`;
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, session_id: randomUUID(), stream: false, input }),
    });
    const run = (await answer.json()) as { id: string };
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
        error: { code: expect.stringMatching(/^MODEL_/) as string },
        retries: [{ code: expect.stringMatching(/^MODEL_/) as string, pauseMs: 1, at: expect.any(Number) as number }],
      },
    });
  });

  it('a call that succeeded at the second try shows the first', async () => {
    const spans = await spansWith(BUSY, (response) => {
      begin(response, { content: 'Hello.' });
      end(response);
    });
    expect(spans).toMatchObject([{ id: 'model:0', status: 'completed', details: { retries: [{ pauseMs: 1 }] } }]);
  });
});
