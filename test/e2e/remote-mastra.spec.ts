import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { WIRES } from '../support/wires.js';

/** Where Mastra is, if `npm ci` was run there. */
const FOLDER = join(__dirname, '../mastra');
const isInstalled = existsSync(join(FOLDER, 'node_modules/@mastra/core'));
/**
 * An agent of Mastra with two tools, of which one suspends, served over AG-UI by its adapter: at `/older` without outcomes of
 * runs. Its model answers with a call, then with a text.
 */
const SERVER = `
import { createServer } from 'node:http';
import { EventEncoder } from '@ag-ui/encoder';
import { MastraAgent } from '@ag-ui/mastra';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

/** Reads the body of a request as JSON. */
async function bodyOf(request) {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return JSON.parse(text);
}

/** Listens on a free port. Returns the address. */
function listen(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(\`http://127.0.0.1:\${server.address().port}\`));
  });
}

const model = createServer(async (request, response) => {
  const { messages } = await bodyOf(request);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (delta, finish = null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
    response.write(\`data: \${JSON.stringify(chunk)}\\n\\n\`);
  };
  const last = messages.at(-1);
  if (last.role === 'tool' && JSON.stringify(last.content).includes('dredged')) {
    write({ content: JSON.stringify(last.content).includes('true') ? 'It is deep now.' : 'It stays shallow.' });
    write({}, 'stop');
  } else if (last.role === 'tool') {
    for (const content of ['Waves ', 'of ', '2 m.']) write({ content });
    write({}, 'stop');
  } else {
    write({ role: 'assistant', content: 'Looking. ' });
    const isDredging = JSON.stringify(last.content).includes('Dredge');
    const call = isDredging ? { name: 'dredge', arguments: '{"metres":2}' } : { name: 'buoy', arguments: '{"id":4}' };
    write({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] });
    write({}, 'tool_calls');
  }
  response.end('data: [DONE]\\n\\n');
});

const buoy = createTool({
  id: 'buoy',
  description: 'The height of the waves at a buoy.',
  inputSchema: z.object({ id: z.number() }),
  execute: async () => ({ height: '2 m' }),
});
const dredge = createTool({
  id: 'dredge',
  description: 'Makes the bar deeper.',
  inputSchema: z.object({ metres: z.number() }),
  suspendSchema: z.object({ question: z.string() }),
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: async ({ metres }, { agent: { resumeData, suspend } }) => {
    if (resumeData) return { dredged: resumeData.approved };
    return suspend({ question: \`Dredge \${metres} m?\` });
  },
});
const sea = new Agent({
  id: 'sea',
  name: 'sea',
  instructions: 'Tell how the sea is.',
  model: { id: 'own/m', url: \`\${await listen(model)}/v1\`, apiKey: 'k' },
  tools: { buoy, dredge },
});
const agent = new Mastra({ agents: { sea }, storage: new InMemoryStore(), logger: false }).getAgent('sea');

const server = createServer(async (request, response) => {
  const input = await bodyOf(request);
  const encoder = new EventEncoder({ accept: request.headers.accept });
  response.writeHead(200, { 'content-type': encoder.getContentType() });
  const emitInterruptOutcome = request.url !== '/older';
  new MastraAgent({ agent, resourceId: 'harbour', emitInterruptOutcome }).run(input).subscribe({
    next: (event) => response.write(encoder.encode(event)),
    error: (error) => response.end(encoder.encode({ type: 'RUN_ERROR', message: String(error) })),
    complete: () => response.end(),
  });
});
console.log(await listen(server));
`;
/** A response as it is stored. */
interface Answered {
  readonly status: string;
  readonly error: unknown;
  readonly output: readonly { readonly type: string; readonly content?: readonly { readonly text: string }[] }[];
}

const title = 'an agent of Mastra behind a remote agent';

(isInstalled ? describe : describe.skip)(isInstalled ? title : `${title} (skipped: npm ci in test/mastra)`, () => {
  let mastra: ChildProcess;
  let server: TestServer;

  beforeAll(async () => {
    mastra = spawn(process.execPath, ['--input-type=module', '--eval', SERVER], {
      cwd: FOLDER,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(mastra.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer];
    const url = line.toString().trim();
    const agents = { sea: { type: 'ag-ui', url }, older: { type: 'ag-ui', url: `${url}/older` } };
    server = await startServer({
      env: { AUTH: 'none', DEFAULT_AGENT: 'sea', REMOTE_AGENTS: JSON.stringify({ agents }) },
    });
  }, 120_000);
  afterAll(async () => {
    await server?.close();
    mastra?.kill();
  });

  async function json<T>(path: string, body?: object): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(server.url + path, init)).json()) as T;
  }
  const textsOf = ({ output }: Answered): (string | undefined)[] =>
    output.filter(({ type }) => type === 'message').map(({ content }) => content?.[0]?.text);

  it.each([
    ['sea', true, 'It is deep now.'],
    ['sea', false, 'It stays shallow.'],
    ['older', true, 'It is deep now.'],
    ['older', false, 'It stays shallow.'],
  ])('a tool of %s that suspends waits for a decision (%s)', async (model, approve, told) => {
    const first = await json<Answered>('/compatible-mode/v1/responses', { model, input: 'Dredge the bar' });
    expect(first.output.map(({ type }) => type)).toContain('mcp_approval_request');
    const { data } = await json<{ data: { id: string }[] }>('/approvals?status=pending');
    expect(data).toMatchObject([{ toolName: 'dredge', arguments: { metres: 2 } }]);
    const decided = await json<{ resumedByRunId: string }>(`/approvals/${data[0]?.id ?? ''}`, { approve });
    const next = await until(async () => {
      const found = await json<Answered>(`/compatible-mode/v1/responses/${decided.resumedByRunId}`);
      return /completed|failed/.test(found.status) && found;
    }, 'the end of the run');
    expect([next.error, textsOf(next)]).toEqual([null, [told]]);
  });

  it('shows its texts and its call with the result on every wire', async () => {
    for (const wire of WIRES) {
      const { path, body } = wire.say({ sessionId: randomUUID(), words: 'How is the sea?', turn: 1 });
      const named = 'model' in body ? { model: 'sea', conversation: undefined } : {};
      const props = 'forwardedProps' in body ? { forwardedProps: { agent_type: 'sea' } } : {};
      const sent = await fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...named, ...props }),
      });
      const shown = wire.shown((await sent.text()).replaceAll(/^: .*\n\n/gm, ''));
      expect([wire.name, shown.text]).toEqual([wire.name, 'Looking. Waves of 2 m.']);
      expect([wire.name, shown.calls.map(({ name, arguments: text }) => [name, JSON.parse(text) as unknown])]).toEqual([
        wire.name,
        [['buoy', { id: 4 }]],
      ]);
    }
  });
});
