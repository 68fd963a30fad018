import { Runs } from '../../src/run/index.js';
import { textLog } from '../support/scripted-log.js';
import { rawRequest } from '../support/raw-http.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { FakeRuns } from '../support/fake-runs.js';

describe('GET /runs/{runId}/events', () => {
  const runs = new FakeRuns();
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ overrides: [{ provide: Runs, useValue: runs }] });
  });
  afterEach(() => runs.runs.clear());
  afterAll(() => server.close());

  const read = async (path: string): Promise<{ status: number; text: string; runId: string | null }> => {
    const answer = await fetch(`${server.url}${path}`);
    return { status: answer.status, text: await answer.text(), runId: answer.headers.get('x-run-id') };
  };

  async function original(): Promise<string> {
    const input = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'r1', session_id: 's1', input }),
    });
    return answer.text();
  }

  it('a finished run is repeated byte for byte from any frame', async () => {
    const bytes = await original();
    expect(await read('/runs/r1/events')).toEqual({ status: 200, text: bytes, runId: 'r1' });
    const frames = bytes.match(/data: .*\n\n/g) ?? [];
    for (let after = 0; after < frames.length; after += 1) {
      const { text } = await read(`/runs/r1/events?protocol=agent-api&after=${after}`);
      expect(text).toBe(frames.slice(after).join(''));
    }
  });

  it('a running run continues live after its committed frames', async () => {
    const log = textLog(['Hello', ' there'], 'r2');
    runs.add('r2', log.slice(0, 5));
    const answer = rawRequest(server.port, 'GET', '/runs/r2/events?after=2');
    await until(() => answer.chunks.length === 3, 'what is committed');
    runs.append('r2', log.slice(5));
    await until(() => answer.ended, 'the end');
    expect(answer.chunks.at(-1)).toBe('data: [DONE]\n\n');
    expect(answer.chunks[0]).toContain('"sequence_number":2,');
  });

  it('a run continues after its reader disconnects', async () => {
    runs.add('r3', textLog(['Hello'], 'r3').slice(0, 3));
    const answer = rawRequest(server.port, 'GET', '/runs/r3/events');
    await until(() => answer.chunks.length > 0, 'a frame');
    answer.socket.destroy();
    await until(() => runs.openTails === 0, 'the tail closed');
    expect(runs.runs.get('r3')?.canceled).toBe(false);
  });

  it('a cursor ahead of the run is refused', async () => {
    runs.add('r4', textLog(['Hello'], 'r4').slice(0, 3));
    const { status, text } = await read('/runs/r4/events?after=9');
    expect([status, JSON.parse(text)]).toMatchObject([409, { code: 'CURSOR_AHEAD' }]);
  });

  describe('GET /runs/{runId}/events with Last-Event-ID', () => {
    const again = async (lastEventId: string, query = ''): Promise<{ status: number; text: string }> => {
      const headers = { 'last-event-id': lastEventId };
      const answer = await fetch(`${server.url}/runs/r1/events${query}`, { headers });
      return { status: answer.status, text: await answer.text() };
    };

    it('the header overrides the cursor of the query', async () => {
      const frames = (await original()).match(/data: .*\n\n/g) ?? [];
      for (const id of ['3', '1-3']) {
        expect(await again(id, '?after=1')).toEqual({ status: 200, text: frames.slice(3).join('') });
      }
      expect((await again('', '?after=1')).text).toBe(frames.slice(1).join(''));
    });

    it('the id of the last frame gets 204, and one beyond it 409', async () => {
      const count = ((await original()).match(/data: \{/g) ?? []).length;
      expect(await again(String(count))).toEqual({ status: 204, text: '' });
      expect(await again(String(count + 1))).toMatchObject({ status: 409 });
    });

    it.each(['x', '-1', '1.5', '2-3', '1-2-3', '1, 2', '9'.repeat(30)])('the id %s is refused', async (id) => {
      await original();
      const { status, text } = await again(id);
      expect([status, JSON.parse(text)]).toMatchObject([400, { code: 'INVALID_PARAMETER' }]);
    });
  });

  it.each([
    ['/runs/nobody/events', 404, 'RUN_NOT_FOUND'],
    ['/runs/r1/events?protocol=morse', 400, 'INVALID_PARAMETER'],
    ['/runs/r1/events?after=-1', 400, 'PARAMETER_VALIDATION'],
    ['/runs/r1/events?after=x', 400, 'PARAMETER_VALIDATION'],
  ])('%s answers %i', async (path, status, code) => {
    const answer = await read(path);
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([status, { code }]);
  });
});
