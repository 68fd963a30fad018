import { A2aClient, framesOf, saying, saying03, statesOf, textOf } from '../../support/a2a.js';
import { startServer, type TestServer } from '../../support/server.js';

const CALENDAR = 'Schedule a meeting with Ana tomorrow at 3pm';
const CLIENT_TIME = {
  client_time: {
    device_timezone: 'America/Los_Angeles',
    client_now_iso: '2030-03-16T09:00:00-07:00',
    client_epoch_ms: 1_899_993_600_000,
  },
};

describe('A2A', () => {
  let server: TestServer;
  let client: A2aClient;

  beforeAll(async () => {
    server = await startServer();
    client = new A2aClient(server, { 'a2a-version': '1.0' });
  });
  afterAll(() => server.close());

  it('sends a message and answers with the task that is over', async () => {
    const task = await client.send(saying('Who are you?', { contextId: 'c-send', messageId: 'm-1' }));
    expect(task).toMatchObject({
      contextId: 'c-send',
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [
        {
          messageId: 'm-1',
          role: 'ROLE_USER',
          taskId: task.id,
          contextId: 'c-send',
          parts: [{ text: 'Who are you?' }],
        },
      ],
      metadata: { agent: 'worker' },
    });
    expect(task.artifacts?.[0]?.name).toBe('answer');
    expect(task.artifacts?.[0]?.parts[0]?.text).toContain('I am Friday');
    expect(await client.get(task.id)).toEqual(task);
  });

  it('streams the task, its pieces and its end', async () => {
    const frames = await client.stream('/message:stream', saying('Who are you?'));
    expect(statesOf(frames)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    expect(frames.map(({ id }) => id)).toEqual(frames.map((_, index) => String(index)));
    expect(frames.at(-2)?.data.artifactUpdate).toMatchObject({
      append: true,
      lastChunk: true,
      artifact: { parts: [{ text: '' }] },
    });
    const id = frames[0]?.data.task?.id ?? '';
    expect((await client.get(id)).artifacts?.[0]?.parts).toEqual([{ text: textOf(frames) }]);
  });

  it('replays the frames behind a cursor exactly as they were first sent', async () => {
    const frames = await client.stream('/message:stream', saying('Who are you?'));
    const id = frames[0]?.data.task?.id ?? '';
    for (const seen of [0, 1, 3, frames.length - 1]) {
      const rest = await client.stream(`/tasks/${id}:subscribe`, undefined, { 'last-event-id': String(seen) });
      expect(rest[0]?.id).toBe(String(seen));
      expect(rest.slice(1)).toEqual(frames.slice(seen + 1));
    }
    const ahead = await client.rest('POST', `/tasks/${id}:subscribe`, undefined, { 'last-event-id': '99' });
    expect([ahead.status, await ahead.json()]).toMatchObject([400, { error: { status: 'INVALID_ARGUMENT' } }]);
  });

  it('asks, is answered in the same task, and goes on', async () => {
    const frames = await client.stream('/message:stream', { ...saying(CALENDAR), metadata: CLIENT_TIME });
    expect(statesOf(frames)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED']);
    const asked = frames.at(-1)?.data.statusUpdate;
    const [text, question] = asked?.status.message?.parts ?? [];
    expect(text?.text).toMatch(/^calendar_write wants to run with \{.*\}\. Answer "approve" or "deny"\.$/);
    expect(question?.data).toMatchObject({
      type: 'approval_request',
      tool: 'calendar_write',
      arguments: { title: 'Meeting with Ana', start: '2030-03-17T15:00:00' },
    });
    const taskId = asked?.taskId;
    const answer = { taskId, parts: [{ data: { type: 'approval', id: question?.data?.['id'], approved: true } }] };
    const rest = await client.stream('/message:stream', saying('', answer));
    expect(rest[0]).toMatchObject({ id: '2', data: { task: { id: taskId, status: { state: 'TASK_STATE_WORKING' } } } });
    expect(rest[0]?.data.task?.history?.map(({ role }) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);
    expect(statesOf(rest)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    expect(rest[1]?.id).toBe('3');
    expect(textOf(rest)).toContain('Meeting with Ana');
    expect((await client.rpc('ListTasks', { contextId: rest[0]?.data.task?.contextId })).result).toMatchObject({
      totalSize: 1,
    });
  });

  it('a question of AG-UI is answered over A2A, and one of A2A over AG-UI', async () => {
    const agUi = async (fields: object): Promise<string> => {
      const body = { messages: [], tools: [], context: [], state: {}, forwardedProps: {}, ...fields };
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${server.url}/ag-ui`, { method: 'POST', headers, body: JSON.stringify(body) });
      expect(await answer.text()).toContain('RUN_FINISHED');
      return answer.headers.get('x-run-id') ?? '';
    };
    const messages = [{ id: 'u-1', role: 'user', content: CALENDAR }];
    const first = await client.get(await agUi({ threadId: 'c-ag-ui', runId: 'r-1', messages }));
    expect(first.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const parts = [{ data: { type: 'approval', approved: true } }];
    const done = await client.send(saying('', { taskId: first.id, parts }));
    expect([done.id, done.status.state]).toEqual([first.id, 'TASK_STATE_COMPLETED']);

    const second = await client.send(saying(CALENDAR, { contextId: 'c-of-a2a' }));
    const watching = client.stream(`/tasks/${second.id}:subscribe`);
    const interruptId = second.status.message?.parts[1]?.data?.['id'];
    const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }];
    await agUi({ threadId: 'c-of-a2a', runId: 'r-2', resume });
    expect(statesOf(await watching)).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('takes a word for a decision, and a context alone for its waiting task', async () => {
    const asked = await client.send({ ...saying(CALENDAR, { contextId: 'c-word' }), metadata: CLIENT_TIME });
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const task = await client.send(saying('deny', { contextId: 'c-word' }));
    expect([task.id, task.status.state]).toEqual([asked.id, 'TASK_STATE_COMPLETED']);
  });

  it('keeps a message in place of an answer in the task', async () => {
    const asked = await client.send({ ...saying(CALENDAR), metadata: CLIENT_TIME });
    const task = await client.send(saying('Who are you?', { taskId: asked.id }));
    expect([task.id, task.status.state]).toEqual([asked.id, 'TASK_STATE_COMPLETED']);
  });

  it('cancels what waits, once and again', async () => {
    const asked = await client.send({ ...saying(CALENDAR), metadata: CLIENT_TIME });
    const canceled = (await client.rpc('CancelTask', { id: asked.id })).result;
    expect(canceled).toMatchObject({ id: asked.id, status: { state: 'TASK_STATE_CANCELED' } });
    expect((await client.rpc('CancelTask', { id: asked.id })).result).toEqual(canceled);
    const late = await client.rpc('SendMessage', saying('approve', { taskId: asked.id }));
    expect(late.error?.code).toBe(-32004);
  });

  it('closes a subscription to a task whose question is given up', async () => {
    const asked = await client.send({ ...saying(CALENDAR), metadata: CLIENT_TIME });
    const watching = client.stream(`/tasks/${asked.id}:subscribe`);
    await client.rpc('CancelTask', { id: asked.id });
    expect(statesOf(await watching)).toEqual(['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_CANCELED']);
  });

  it('answers a repeated message with its task, also when that is over', async () => {
    const message = saying('Who are you?', { contextId: 'c-repeat', messageId: 'm-repeat' });
    const first = await client.send(message);
    expect(await client.send(message)).toEqual(first);
    const other = await client.send(saying('What is 2 + 2?', { contextId: 'c-repeat', messageId: 'm-repeat' }));
    expect(other.id).not.toBe(first.id);
    const key = { 'idempotency-key': 'k-1' };
    const keyed = saying('Who are you?');
    expect((await client.send(keyed, key)).id).toBe((await client.send(keyed, key)).id);
    expect((await client.rpc('SendMessage', saying('Other words'), key)).error?.code).toBe(-32602);
  });

  it('speaks 0.3 by the name of the method', async () => {
    const old = new A2aClient(server);
    const { result } = await old.rpc('message/send', saying03('Who are you?'));
    expect(result).toMatchObject({
      kind: 'task',
      status: { state: 'completed' },
      history: [{ kind: 'message', role: 'user' }],
    });
    const frames = framesOf(await (await old.post('message/stream', saying03('Who are you?'))).text());
    expect(frames[0]?.data.result).toMatchObject({ kind: 'task', status: { state: 'submitted' } });
    expect(frames[1]?.data.result).toMatchObject({ kind: 'status-update', final: false });
    expect(frames[2]?.data.result).toMatchObject({ kind: 'artifact-update', append: false, lastChunk: false });
    expect(frames.at(-1)?.data.result).toMatchObject({
      kind: 'status-update',
      final: true,
      status: { state: 'completed' },
    });
    const refused = await old.post('tasks/resubscribe', { id: 'unknown' });
    expect(refused.headers.get('content-type')).toContain('text/event-stream');
    expect(framesOf(await refused.text())[0]?.data.error?.code).toBe(-32001);
  });

  it('lists tasks in pages, the last changed first', async () => {
    const contextId = 'c-list';
    for (const words of ['one', 'two', 'three']) await client.send(saying(`Say ${words}`, { contextId }));
    const first = (await client.rpc('ListTasks', { contextId, pageSize: 2 })).result;
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3 });
    const second = (await client.rpc('ListTasks', { contextId, pageSize: 2, pageToken: first?.nextPageToken })).result;
    expect(second?.nextPageToken).toBe('');
    const tasks = [...(first?.tasks ?? []), ...(second?.tasks ?? [])];
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(3);
    const times = tasks.map(({ status }) => status.timestamp);
    expect(times).toEqual([...times].sort().reverse());
    expect(tasks.every((task) => !('artifacts' in task))).toBe(true);
    const state = 'TASK_STATE_FAILED';
    expect((await client.rpc('ListTasks', { contextId, status: state })).result).toMatchObject({
      tasks: [],
      totalSize: 0,
    });
    const other = await client.rpc('ListTasks', { contextId: 'other', pageToken: first?.nextPageToken });
    expect(other.error?.code).toBe(-32602);
  });

  it.each([
    ['{', -32700],
    ['[]', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"GetTask"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600],
    ['{"jsonrpc":"2.0","id":1}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":{}}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"Unknown"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"":1}}', -32602],
    [
      '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","parts":[{"text":"a","url":"http://a"}]}}}',
      -32602,
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","parts":[]}}}', -32602],
    [
      '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","parts":[{"raw":"AAAA","mediaType":"text/csv"}]}}}',
      -32005,
    ],
  ])('refuses %s with %i', async (body, code) => {
    const response = await client.rest('POST', '', body);
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([200, code]);
  });

  it('refuses other versions, and names that are not of the version', async () => {
    const refused = await client.rpc('GetTask', { id: 'x' }, { 'a2a-version': '99.0' });
    expect(refused.error).toMatchObject({ code: -32009, data: [{ metadata: { supported: '1.0, 0.3' } }] });
    expect((await client.rpc('tasks/get', { id: 'x' })).error?.code).toBe(-32601);
    const old = await client.rest('GET', '/tasks/x', undefined, { 'a2a-version': '0.3' });
    expect(old.status).toBe(400);
  });

  it('answers at the address with a slash, with another media type, and by GET', async () => {
    const body = { jsonrpc: '2.0', id: 'a', method: 'GetTask', params: { id: 'unknown' } };
    const slash = await client.rest('POST', '/', body, { 'content-type': 'application/a2a+json' });
    expect([slash.status, await slash.json()]).toMatchObject([200, { id: 'a', error: { code: -32001 } }]);
    expect((await client.rest('POST', '', 'x', { 'content-type': 'text/plain' })).status).toBe(415);
    const task = await client.send(saying('Who are you?'));
    const byGet = await client.rest('GET', `/tasks/${task.id}?historyLength=0`, undefined, {
      accept: 'application/a2a+json',
    });
    expect(byGet.headers.get('content-type')).toContain('application/a2a+json');
    expect(byGet.headers.get('a2a-version')).toBe('1.0');
    expect(await byGet.json()).not.toHaveProperty('history');
    const unknown = await client.rest('GET', '/tasks/unknown');
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { error: { code: 404, status: 'NOT_FOUND', details: [{ reason: 'TASK_NOT_FOUND' }] } },
    ]);
  });
});
