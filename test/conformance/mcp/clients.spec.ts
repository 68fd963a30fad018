import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ShownResult } from '../../support/mcp.js';
import { FailingAgent, SeatAgent } from '../../support/mcp-agents.js';
import { startServer, type TestServer } from '../../support/server.js';

/*
 * The stock clients: `@modelcontextprotocol/sdk` 1.32.2, and `@modelcontextprotocol/client` 2.4.0 in all its modes. The latter
 * is looked up by name, because its types are for newer compilers.
 */
const V2 = '@modelcontextprotocol/client';

type Form = Readonly<Record<string, unknown>>;

interface V2Client {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<ShownResult>;
  callTool(params: object, options?: object): Promise<ShownResult>;
  setRequestHandler(method: string, handler: (request: { params: Form }) => Promise<Form>): void;
  getNegotiatedProtocolVersion?(): string | undefined;
}

interface V2Module {
  readonly Client: new (info: object, options: object) => V2Client;
  readonly StreamableHTTPClientTransport: new (url: URL, options?: object) => object;
}

/** A client, whatever its version. */
interface StockClient {
  list(): Promise<readonly string[]>;
  call(name: string, args: object, options?: object): Promise<ShownResult>;
  close(): Promise<void>;
}

/** What a person answers to a form. */
type Person = (form: Form) => Form;

const KINDS = ['sdk 1.32.2', 'client 2.4.0, legacy', 'client 2.4.0, auto', 'client 2.4.0, pinned'] as const;
const MODES: Readonly<Record<string, unknown>> = {
  'client 2.4.0, legacy': 'legacy',
  'client 2.4.0, auto': 'auto',
  'client 2.4.0, pinned': { pin: '2026-07-28' },
};

async function connected(kind: string, server: TestServer, person?: Person): Promise<StockClient> {
  const url = new URL(`${server.url}/mcp`);
  const capabilities = person ? { elicitation: {} } : {};
  if (kind === KINDS[0]) {
    const client = new LegacyClient({ name: 'test', version: '1' }, { capabilities });
    if (person) {
      client.setRequestHandler(ElicitRequestSchema, (request) => Promise.resolve(person(request.params) as never));
    }
    await client.connect(new LegacyTransport(url));
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args, options) =>
        client.callTool({ name, arguments: { ...args } }, undefined, options) as unknown as Promise<ShownResult>,
      close: () => client.close(),
    };
  }
  const { Client, StreamableHTTPClientTransport } = (await import(V2)) as unknown as V2Module;
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode: MODES[kind] } },
  );
  if (person) client.setRequestHandler('elicitation/create', ({ params }) => Promise.resolve(person(params)));
  await client.connect(new StreamableHTTPClientTransport(url));
  return {
    list: async () => ((await client.listTools()).tools ?? []).map(({ name }) => name),
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
}

const CALENDAR = 'Schedule a meeting with Ana tomorrow at 3pm';

describe.each(KINDS)('the stock client of MCP, %s', (kind) => {
  let server: TestServer;
  const open: StockClient[] = [];
  const start = async (person?: Person): Promise<StockClient> => {
    const client = await connected(kind, server, person);
    open.push(client);
    return client;
  };

  beforeAll(async () => {
    server = await startServer({ providers: [SeatAgent, FailingAgent], env: { MCP_CALL_WAIT_MS: '3000' } });
  });
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });
  afterAll(() => server.close());

  it('lists the tools, and asks twice in one conversation', async () => {
    const client = await start();
    expect(await client.list()).toEqual(['ask_failing', 'ask_seat-finder', 'ask_worker', 'get_answer', 'stop_run']);
    const first = await client.call('ask_worker', { message: 'Who are you?' });
    expect(first.structuredContent).toMatchObject({ status: 'completed' });
    const { session_id, run_id } = first.structuredContent ?? {};
    const second = await client.call('ask_worker', { message: 'And again: who are you?', session_id });
    expect(second.structuredContent?.session_id).toBe(session_id);
    expect(second.structuredContent?.run_id).not.toBe(run_id);
  });

  it('is told progress', async () => {
    const client = await start();
    const told: unknown[] = [];
    const onprogress = ({ message }: { message?: string }): void => void told.push(message);
    await client.call('ask_worker', { message: 'What is the weather in Paris?' }, { onprogress });
    expect(told).toEqual(expect.arrayContaining(['started', 'calls get_weather', 'get_weather done']));
  });

  it.each([
    [{ action: 'accept', content: { approve: true } }, 'completed'],
    [{ action: 'accept', content: { approve: false } }, 'completed'],
    [{ action: 'decline' }, 'completed'],
    [{ action: 'cancel' }, 'waiting'],
  ])('answers a form with %j: %s', async (answer, status) => {
    const forms: Form[] = [];
    const client = await start((form) => {
      forms.push(form);
      return answer;
    });
    const result = await client.call('ask_worker', { message: CALENDAR });
    expect(forms).toHaveLength(1);
    expect(forms[0]?.['message']).toContain('calendar_write');
    expect(result.structuredContent?.status).toBe(status);
  });

  it('answers a question', async () => {
    const client = await start(() => ({ action: 'accept', content: { seat: 'window' } }));
    const result = await client.call('ask_seat-finder', { message: 'x' });
    expect(result.content?.[0]?.text).toBe('The seat is at the window.');
  });

  it('gets an early result, the rest, and what was stopped', async () => {
    const client = await start();
    const early = await client.call('ask_worker', { message: 'count to 150 slowly' });
    expect(early.structuredContent?.status).toBe('in_progress');
    const run_id = early.structuredContent?.run_id;
    expect((await client.call('get_answer', { run_id })).structuredContent?.answer).toContain('150');
    const other = await client.call('ask_worker', { message: 'count to 300 slowly' });
    const stopped = await client.call('stop_run', { run_id: other.structuredContent?.run_id });
    expect(stopped.structuredContent?.status).toBe('stopped');
  });

  it('is told what failed', async () => {
    const client = await start();
    const failed = await client.call('ask_failing', { message: 'x' });
    expect(failed.isError).toBe(true);
    expect(await client.call('ask_worker', { message: 'x', session_id: 'none' })).toMatchObject({ isError: true });
    await expect(client.call('ask_nobody', {})).rejects.toThrow(/Unknown tool/);
  });
});
