import { ChatUiReducer, parseFrames } from '../../../test/support/chat-ui-reducer.js';
import { ScriptedLog, textLog } from '../../../test/support/scripted-log.js';
import { FakeRuns } from '../../../test/support/fake-runs.js';
import { rawRequest } from '../../../test/support/raw-http.js';
import { startServer, type TestServer } from '../../../test/support/server.js';
import { until } from '../../../test/support/until.js';
import { AppError } from '../../common/index.js';
import { Runs } from '../../run/index.js';

const input = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];

describe('the Agent API over HTTP', () => {
  const runs = new FakeRuns();
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ overrides: [{ provide: Runs, useValue: runs }] });
  });

  beforeEach(() => {
    runs.runs.clear();
    runs.refusal = undefined;
    runs.script = (request, runId) => textLog(['Hello', ' there'], runId, request.sessionId);
  });

  afterAll(() => server.close());

  function post(path: string, body: unknown): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(`${server.url}${path}`, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' },
    });
  }

  async function json(answer: Promise<Response>): Promise<[number, unknown]> {
    const { status, body } = await answer.then(async (response) => ({
      status: response.status,
      body: await response.json(),
    }));
    return [status, body];
  }

  describe('POST /process', () => {
    it('a run is streamed with one frame per chunk', async () => {
      const answer = rawRequest(
        server.port,
        'POST',
        '/process',
        JSON.stringify({ input, id: 'run/1', session_id: 's' }),
      );
      await until(() => answer.ended, 'the end');
      expect(answer.head).toMatch(/^HTTP\/1.1 200/);
      expect(answer.head).toMatch(/content-location: \/process\/run%2F1/i);
      expect(answer.head).toMatch(/x-run-id: run\/1/i);
      expect(answer.chunks.every((chunk) => /^data: .*\n\n$/.test(chunk))).toBe(true);
      expect(answer.chunks.at(-1)).toBe('data: [DONE]\n\n');
      const ui = new ChatUiReducer();
      for (const frame of parseFrames(answer.chunks.join(''))) ui.apply(frame);
      expect(ui.isFinished).toBe(true);
      expect(ui.state.output[0]?.content[0]?.text).toBe('Hello there');
      expect(ui.state.session_id).toBe('s');
    });

    it('stream:false gets one JSON response', async () => {
      const [status, body] = await json(post('/process', { input, stream: false, id: 'r' }));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        object: 'response',
        id: 'r',
        status: 'completed',
        output: [{ content: [{ text: 'Hello there' }] }],
      });
      expect(body).not.toHaveProperty('sequence_number');
    });

    it('a request that waits for the end gets 503 during a shutdown', async () => {
      const tail = jest.spyOn(runs, 'tail').mockImplementation(async function* () {
        // A server that shuts down ends its tails.
      });
      const answer = await post('/process', { input, stream: false });
      tail.mockRestore();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await answer.json()).toMatchObject({ code: 'SHUTTING_DOWN' });
    });

    it('the request and the policies of the query reach the run', async () => {
      await (
        await post('/process?multitask=enqueue', { input, session_id: 's', user_id: 'u', biz_params: { a: 1 } })
      ).text();
      const [run] = [...runs.runs.values()];
      expect(run?.request).toMatchObject({
        sessionId: 's',
        principal: { userId: 'u' },
        agentType: 'worker',
        onBusy: 'enqueue',
        forwardedProps: { biz_params: { a: 1 } },
      });
    });

    it('a refused run gets its status', async () => {
      runs.refusal = new AppError('SESSION_BUSY');
      const answer = await json(post('/process', { input }));
      expect(answer).toEqual([409, { code: 'SESSION_BUSY', message: 'Another run of this session is in progress' }]);
    });

    it.each([
      ['cancel', true],
      ['continue', false],
    ])('a disconnect follows on_disconnect=%s', async (policy, canceled) => {
      runs.script = (_, runId) => textLog(['never', 'over'], runId).slice(0, -2);
      const answer = rawRequest(
        server.port,
        'POST',
        `/process?on_disconnect=${policy}`,
        JSON.stringify({ input, id: 'r' }),
      );
      await until(() => answer.chunks.length > 4, 'some frames');
      expect(runs.openTails).toBe(1);
      answer.socket.destroy();
      await until(() => runs.openTails === 0, 'the tail closed');
      expect(runs.runs.get('r')?.canceled).toBe(canceled);
    });

    it.each([
      ['/process', '{"input":[null]}'],
      ['/process', '[]'],
      ['/process', '"text"'],
      ['/process', 'null'],
      ['/process', '{"input":[[{"role":"user"}]]}'],
      ['/process', `{"input":${'['.repeat(40_000)}${']'.repeat(40_000)}}`],
      ['/process', '{"input":[],"__proto__":{"a":1}}'],
      ['/process', '{"input":[{"role":"user","content":"text"}]}'],
      ['/process', '\u0000'.repeat(200_000)],
      ['/process?on_disconnect=maybe', '{"input":[]}'],
      ['/process?multitask=a&multitask=b', '{"input":[]}'],
      ['/process/task', '{}'],
      ['/stop', '{}'],
      ['/stop', '[]'],
      ['/stop', 'null'],
      ['/stop', '{"session_id":5}'],
      ['/stop', '{"session_id":""}'],
      ['/stop', '{"response_id":{"a":[]}}'],
    ])('invalid input of %s is refused and stores nothing (%#)', async (path, body) => {
      const [status, error] = await json(post(path, body));
      expect(status).toBe(400);
      expect(error).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/.+/) });
      expect(runs.runs.size).toBe(0);
    });
  });

  describe('GET /process/{id}', () => {
    const get = (path: string) => fetch(`${server.url}${path}`);

    it('the current response is returned', async () => {
      runs.add('a/b', textLog(['Half', ' done'], 'a/b').slice(0, -3));
      expect(await json(get('/process/a%2Fb'))).toMatchObject([
        200,
        { id: 'a/b', status: 'in_progress', output: [{ content: [{ text: 'Half done' }] }] },
      ]);
      expect(await json(get('/process/other'))).toEqual([404, { code: 'RUN_NOT_FOUND', message: 'Run not found' }]);
    });

    it('the rest is streamed from every cursor, and a cursor ahead is refused', async () => {
      runs.add('r', textLog(['a', 'b', 'c'], 'r'));
      const whole = await (await get('/process/r?stream=true')).text();
      const frames = whole.split(/(?<=\n\n)/);
      expect(frames).toHaveLength(11);
      for (let cursor = -1; cursor < 10; cursor += 1) {
        const rest = await (await get(`/process/r?stream=true&starting_after=${cursor}`)).text();
        expect(rest).toBe(frames.slice(cursor + 1).join(''));
      }
      const [status, body] = await json(get('/process/r?stream=true&starting_after=10'));
      expect([status, body]).toMatchObject([409, { code: 'CURSOR_AHEAD', details: [{ path: 'starting_after' }] }]);
      expect(await json(get('/process/other?stream=true'))).toMatchObject([404, { code: 'RUN_NOT_FOUND' }]);
    });

    it('a running run continues live, and a cursor ahead of it is refused', async () => {
      const log = textLog(['a', 'b', 'c'], 'r');
      runs.add('r', log.slice(0, 5));
      expect(await json(get('/process/r?stream=true&starting_after=5'))).toMatchObject([409, { code: 'CURSOR_AHEAD' }]);
      const answer = rawRequest(server.port, 'GET', '/process/r?stream=true&starting_after=4');
      await until(() => runs.openTails === 1, 'the tail');
      runs.append('r', log.slice(5));
      await until(() => answer.ended, 'the end');
      expect(parseFrames(answer.chunks.join('')).map(({ sequence_number }) => sequence_number)).toEqual([
        5, 6, 7, 8, 9,
      ]);
      runs.add('queued', []);
      expect(await json(get('/process/queued?stream=true&starting_after=0'))).toMatchObject([
        409,
        { code: 'CURSOR_AHEAD' },
      ]);
    });

    it.each([
      'starting_after=-2',
      'starting_after=1.5',
      'starting_after=x',
      'starting_after=',
      'starting_after=1&starting_after=2',
      'stream=yes',
    ])('%s is refused', async (query) => {
      runs.add('r', textLog(['a'], 'r'));
      expect(await json(get(`/process/r?stream=true&${query}`))).toMatchObject([400, { code: 'PARAMETER_VALIDATION' }]);
    });
  });

  describe('POST /stop', () => {
    it('the runs of a session or one run are stopped', async () => {
      runs.script = (_, runId) => textLog(['never'], runId).slice(0, -1);
      const body = { input, session_id: 's', id: 'r' };
      await json(post('/process/task', body));
      expect(await json(post('/stop', { input: [], session_id: 's' }))).toEqual([
        200,
        { status: 'ok', stopped: ['r'] },
      ]);
      expect(await json(post('/stop', { session_id: 'other' }))).toEqual([200, { status: 'ok', stopped: [] }]);
      expect(await json(post('/stop', { response_id: 'r', session_id: null }))).toEqual([
        200,
        { status: 'ok', stopped: ['r'] },
      ]);
      runs.add('over', textLog(['a'], 'over'));
      expect(await json(post('/stop', { response_id: 'over' }))).toEqual([200, { status: 'ok', stopped: [] }]);
      expect(await json(post('/stop', { response_id: 'none' }))).toMatchObject([404, { code: 'RUN_NOT_FOUND' }]);
      expect(await json(post('/stop', {}))).toEqual([
        400,
        { code: 'MISSING_PARAMETER', message: 'session_id or response_id is required' },
      ]);
    });
  });

  describe('tasks', () => {
    const poll = (id: string) => json(fetch(`${server.url}/process/task/${id}`));

    it('a task is submitted, queued and followed to its end', async () => {
      const log = textLog(['a'], 't');
      runs.script = () => [];
      expect(await json(post('/process/task', { input, id: 't' }))).toEqual([
        200,
        { task_id: 't', status: 'submitted', queue: 'worker', message: 'Task t was submitted' },
      ]);
      expect(runs.runs.get('t')?.request?.onBusy).toBe('enqueue');
      expect(await poll('t')).toEqual([200, { status: 'pending', result: null }]);
      runs.append('t', log.slice(0, 3));
      expect(await poll('t')).toEqual([200, { status: 'running', started_at: 1795253520.5, result: null }]);
      runs.append('t', log.slice(3));
      expect(await poll('t')).toMatchObject([200, { status: 'finished', result: { id: 't', status: 'completed' } }]);
    });

    it('a failed run is a finished task, and an unknown task is not found', async () => {
      const log = new ScriptedLog('f');
      log.response.failed({ code: 'MODEL_TIMEOUT', message: 'slow' });
      runs.add('f', log.logged());
      expect(await poll('f')).toMatchObject([
        200,
        { status: 'finished', result: { status: 'failed', error: { code: 'MODEL_TIMEOUT' } } },
      ]);
      expect(await poll('x')).toEqual([
        404,
        { code: 'TASK_NOT_FOUND', message: 'Task x not found', error: 'Task x not found' },
      ]);
    });
  });
});
