import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Agent, type AgentContext, AgentType } from '../../../src/index.js';
import { McpClient, type ShownResult } from '../../support/mcp.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

/** The times of the field, thirty times as fast: clients give up after 60 s, and calls are answered early after 50 s. */
const PATIENCE_MS = 2000;
const CALL_WAIT_MS = 500;

let release: () => void = () => undefined;

/** Says half of its answer, and the rest when the test wants it. */
@AgentType({ name: 'slow', description: 'Takes its time.', exposure: 'public' })
class SlowAgent implements Agent {
  async *run({ response, signal }: AgentContext): ReturnType<Agent['run']> {
    const message = response.createMessageBuilder();
    const content = message.createContentBuilder();
    yield content.addTextDelta('It took ');
    await new Promise<void>((resolve) => {
      release = resolve;
      signal.addEventListener('abort', () => resolve());
    });
    signal.throwIfAborted();
    content.addTextDelta('its time.');
    yield message.complete();
  }
}

/** A desktop assistant: it gives up after a time, and tells its model whatever it got (contract mcp-server, section 5). */
describe('an impatient client of MCP', () => {
  let server: TestServer;
  let client: Client;
  /** The methods that it has posted. */
  let posted: string[];

  beforeAll(async () => {
    server = await startServer({ providers: [SlowAgent], env: { MCP_CALL_WAIT_MS: String(CALL_WAIT_MS) } });
  });
  beforeEach(async () => {
    posted = [];
    const noting = (url: string | URL, init?: RequestInit): Promise<Response> => {
      if (typeof init?.body === 'string') posted.push((JSON.parse(init.body) as { method: string }).method);
      return fetch(url, init);
    };
    client = new Client({ name: 'desktop', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { fetch: noting }));
  });
  afterEach(() => client.close());
  afterAll(() => server.close());

  const call = (name: string, args: object, timeout = PATIENCE_MS): Promise<ShownResult> =>
    client.callTool({ name, arguments: { ...args } }, undefined, { timeout }) as unknown as Promise<ShownResult>;
  const statusOf = async (run_id: string): Promise<string | undefined> => {
    const other = new McpClient(server);
    await other.initialize();
    return (await other.tool('get_answer', { run_id, wait_seconds: 0 })).structuredContent?.status;
  };

  it('gets the whole answer of a call that takes longer than its patience, and never cancels', async () => {
    const since = performance.now();
    const early = await call('ask_slow', { message: 'Take your time' });
    expect(early.structuredContent).toMatchObject({ status: 'in_progress', answer: 'It took ' });
    expect(early.content?.at(-1)?.text).toContain('Call get_answer');
    const { run_id = '' } = early.structuredContent ?? {};
    while (performance.now() - since < PATIENCE_MS) {
      const still = await call('get_answer', { run_id, wait_seconds: 1 });
      expect(still.structuredContent?.status).toBe('in_progress');
    }
    const last = call('get_answer', { run_id });
    release();
    expect((await last).structuredContent).toMatchObject({ status: 'completed', answer: 'It took its time.' });
    expect(await call('get_answer', { run_id })).toEqual(await last);
    expect(posted).not.toContain('notifications/cancelled');
  });

  it('that gives up on get_answer has stopped nothing, and asks again', async () => {
    const { structuredContent } = await call('ask_slow', { message: 'Take your time' });
    const { run_id = '' } = structuredContent ?? {};
    await expect(call('get_answer', { run_id }, 100)).rejects.toThrow(/timed out/i);
    await until(() => posted.includes('notifications/cancelled'));
    expect(await statusOf(run_id)).toBe('in_progress');
    release();
    expect((await call('get_answer', { run_id })).structuredContent?.answer).toBe('It took its time.');
  });

  it('that gives up on the call itself has stopped it, and its next call begins anew', async () => {
    const { structuredContent } = await call('ask_slow', { message: 'Take your time' });
    const { session_id = '', run_id = '' } = structuredContent ?? {};
    const busy = await call('ask_slow', { message: 'Again', session_id });
    expect(busy.content?.[0]?.text).toContain(run_id);
    release();
    await call('get_answer', { run_id });
    await expect(call('ask_slow', { message: 'Again', session_id }, 100)).rejects.toThrow(/timed out/i);
    const again = await until(async () => {
      const result = await call('ask_slow', { message: 'And again', session_id });
      return result.isError !== true && result;
    });
    release();
    const answer = await call('get_answer', { run_id: again.structuredContent?.run_id });
    expect(answer.structuredContent).toMatchObject({ status: 'completed', session_id });
  });
});
