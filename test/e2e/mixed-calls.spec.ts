import { randomUUID } from 'node:crypto';
import { begin, end, rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { startServer, type TestServer } from '../support/server.js';
import { jsonFrames } from '../support/sse.js';

/** The parts of a response that these tests look at. */
interface Response {
  readonly status: string;
  readonly output: readonly { readonly type: string; readonly content: readonly { readonly data: object }[] }[];
}

const CALLS = [
  { index: 0, id: 'call-page', function: { name: 'open_window', arguments: '{"title":"Notes"}' } },
  { index: 1, id: 'call-server', function: { name: 'calendar_list', arguments: '{}' } },
];
const ORDER = ['plugin_call', 'plugin_call_output', 'function_call'];

describe('the Agent API, when the model calls a tool of the client before one of the server', () => {
  let upstream: RawUpstream;
  let server: TestServer;

  beforeAll(async () => {
    upstream = await rawUpstream((response) => {
      begin(response, { role: 'assistant', content: null }, ...CALLS.map((call) => ({ tool_calls: [call] })));
      end(response, 'tool_calls');
    });
    server = await startServer({ env: { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'k', LLM_MODEL: 'm' } });
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  const body = (more: object): object => ({
    session_id: randomUUID(),
    input: [{ role: 'user', content: [{ type: 'text', text: 'Open my notes and list my appointments' }] }],
    tools: [{ type: 'function', function: { name: 'open_window', parameters: { type: 'object' } } }],
    ...more,
  });

  async function post(path: string, more: object): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body(more)) });
    expect(answer.status).toBe(200);
    return answer.text();
  }

  async function get<T>(path: string): Promise<T> {
    return (await (await fetch(server.url + path)).json()) as T;
  }

  function expectCallsLast(response: Response): void {
    expect(response.status).toBe('completed');
    expect(response.output.map(({ type }) => type)).toEqual(ORDER);
    expect(response.output.at(-1)?.content[0]?.data).toMatchObject({ call_id: 'call-page', name: 'open_window' });
  }

  it('the call of the client is streamed in its place and is last in the output of the stream and of GET', async () => {
    const frames = jsonFrames(await post('/process', {}));
    const begun = frames.filter(({ object, status }) => object === 'message' && status === 'created');
    expect(begun.map(({ type }) => type)).toEqual(['function_call', 'plugin_call', 'plugin_call_output']);
    const last = frames.at(-1) as unknown as Response & { id: string };
    expectCallsLast(last);
    expectCallsLast(await get(`/process/${last.id}`));
  });

  it('it is last in the answer that is not streamed', async () => {
    expectCallsLast(JSON.parse(await post('/process', { stream: false })) as Response);
  });

  it('it is last in the result of a task', async () => {
    const { task_id } = JSON.parse(await post('/process/task', {})) as { task_id: string };
    let task: { status: string; result?: Response } = { status: 'submitted' };
    while (task.status !== 'finished') task = await get(`/process/task/${task_id}`);
    if (task.result) expectCallsLast(task.result);
    expect(task.result).toBeDefined();
  });
});
