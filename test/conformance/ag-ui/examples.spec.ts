import { ask } from '../../examples/ag-ui-chat.js';
import { openThread } from '../../examples/copilotkit-chat.js';
import { agUiOptions } from '../../support/ag-ui-options.js';
import { startServer, type TestServer } from '../../support/server.js';

describe('the AG-UI examples of the documentation', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer(agUiOptions());
    // CopilotKit's client asks for a runtime in a page only.
    Object.assign(globalThis, { window: { location: { origin: server.url } } });
    jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    Reflect.deleteProperty(globalThis, 'window');
    await server.close();
  });

  it('the AG-UI example gets an answer', async () => {
    expect(await ask(server.url, 'plain text')).toBe('The sky is blue today.');
  });

  it('the CopilotKit example opens a thread', async () => {
    const body = { threadId: 'd1', runId: 'r1', messages: [{ id: 'u1', role: 'user', content: 'plain text' }] };
    const headers = { 'content-type': 'application/json', 'x-user-id': 'alice' };
    const run = { method: 'POST', headers, body: JSON.stringify(body) };
    await (await fetch(`${server.url}/copilotkit/agent/default/run`, run)).text();
    const core = await openThread(server.url, 'd1');
    const messages = core.getAgent('default')?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    core.setRuntimeUrl(undefined);
  });
});
