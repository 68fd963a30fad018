import { randomUUID } from 'node:crypto';
import cloudbase from '@cloudbase/js-sdk';
import { CopilotKitCore } from '@copilotkit/core';
import { EventSource } from 'eventsource';
import OpenAI6 from 'openai';
import OpenAI7 from 'openai7';
import { WebSocket } from 'ws';
import { CLIENTS, httpAgent, runAgent } from '../support/ag-ui-clients.js';
import { type KeyedServer, type Refusal, REFUSAL_CODES, REFUSALS, RefusingServers } from '../support/refused-keys.js';
import { until } from '../support/until.js';

const TEXT = 'The sky is blue today.';
const REQUEST_ERROR = 'invalid_request_error';

/** Unmodified clients that get nothing but a key (contract access, section 3.9). */
describe('stock clients with a key', () => {
  const servers = new RefusingServers({
    model: (upstream) => void upstream.onMessage('plain text', { content: TEXT }),
  });
  const refused = (status: Refusal): Promise<KeyedServer> => servers.refused(status);
  const accepted = (): Promise<KeyedServer> => servers.accepted();
  afterAll(() => servers.close());

  describe.each([
    ['6', OpenAI6],
    ['7', OpenAI7 as unknown as typeof OpenAI6],
  ])('openai %s', (_version, OpenAI) => {
    const client = ({ url, key }: { url: string; key: string }, maxRetries = 0): OpenAI6 =>
      new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries });
    const CLASSES = {
      401: OpenAI.AuthenticationError,
      403: OpenAI.PermissionDeniedError,
      429: OpenAI.RateLimitError,
    } as const;
    const TYPES = { 401: REQUEST_ERROR, 403: REQUEST_ERROR, 429: 'rate_limit_error' } as const;
    const NAMES = { 401: 'invalid_api_key', 403: 'permission_denied', 429: 'rate_limit_exceeded' } as const;

    it.each(REFUSALS)('raises the error class of %d, streaming or not', async (status) => {
      const one = client(await refused(status));
      const messages = [{ role: 'user' as const, content: 'plain text' }];
      for (const stream of [true, false]) {
        const requests: Promise<unknown>[] = [
          one.responses.create({ model: 'x', input: 'plain text', stream }),
          one.chat.completions.create({ model: 'x', messages, stream }),
        ];
        for (const request of requests) {
          const thrown = await request.catch((error: unknown) => error);
          expect(thrown).toBeInstanceOf(CLASSES[status]);
          expect(thrown).toMatchObject({ status, code: NAMES[status], type: TYPES[status], param: null });
        }
      }
    });

    it.each(REFUSALS)('raises the error class of %d for stored completions', async (status) => {
      const stored = client(await refused(status)).chat.completions;
      const requests: (() => Promise<unknown>)[] = [
        () => stored.list(),
        () => stored.retrieve('chatcmpl-none'),
        () => stored.update('chatcmpl-none', { metadata: {} }),
        () => stored.delete('chatcmpl-none'),
        () => stored.messages.list('chatcmpl-none'),
      ];
      for (const request of requests) {
        const thrown = await request().catch((error: unknown) => error);
        expect(thrown).toBeInstanceOf(CLASSES[status]);
        expect(thrown).toMatchObject({ status, code: NAMES[status] });
      }
    });

    it('retries a 429 after retry-after-ms, and then succeeds', async () => {
      const { url, key } = await servers.usedUp(60);
      const waits: (string | null)[] = [];
      const one = new OpenAI({
        apiKey: key,
        baseURL: `${url}/v1`,
        maxRetries: 2,
        fetch: async (...args) => {
          const answer = await fetch(...args);
          waits.push(answer.status === 429 ? answer.headers.get('retry-after-ms') : null);
          return answer;
        },
      });
      const before = Date.now();
      await one.models.list();
      expect(waits).toEqual(['1000', null]);
      expect(Date.now() - before).toBeGreaterThan(900);
    });

    it('finishes a run', async () => {
      const one = client(await accepted());
      expect((await one.responses.create({ model: 'x', input: 'plain text' })).output_text).toBe(TEXT);
      const stream = one.responses.stream({ model: 'x', input: 'plain text' });
      expect((await stream.finalResponse()).output_text).toBe(TEXT);
    });
  });

  describe.each(CLIENTS)('HttpAgent of @ag-ui/client %s', (version) => {
    const agent = ({ url, key }: { url: string; key: string }) =>
      httpAgent(version, {
        url: `${url}/ag-ui`,
        threadId: randomUUID(),
        headers: { Authorization: `Bearer ${key}` },
        initialMessages: [{ id: 'u1', role: 'user', content: 'plain text' }],
      });

    it.each(REFUSALS)('reports a %d, and its stream ends without an event', async (status) => {
      const one = agent(await refused(status));
      const [events, failures]: [string[], Error[]] = [[], []];
      jest.spyOn(console, 'error').mockImplementation(() => undefined);
      const run = one.runAgent(
        {},
        {
          onEvent: ({ event }) => void events.push(event.type),
          onRunFailed: ({ error }) => void failures.push(error),
        },
      );
      await expect(run).rejects.toThrow(String(status));
      expect(failures).toHaveLength(1);
      expect(events).toEqual([]);
      expect(one.isRunning).toBe(false);
      jest.restoreAllMocks();
    });

    it('finishes a run', async () => {
      const one = agent(await accepted());
      expect((await runAgent(one)).events.at(-1)?.type).toBe('RUN_FINISHED');
      expect(one.messages.at(-1)?.content).toBe(TEXT);
    });
  });

  describe('@copilotkit/core', () => {
    beforeAll(async () => {
      // The client asks for a runtime in a page only.
      Object.assign(globalThis, { window: { location: { origin: (await accepted()).url } } });
    });
    afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));
    afterEach(() => jest.restoreAllMocks());

    /** A client that knows a runtime, and the errors that it reports. */
    function open({ url, key }: { url: string; key: string }): { core: CopilotKitCore; errors: string[] } {
      jest.spyOn(console, 'error').mockImplementation(() => undefined);
      jest.spyOn(console, 'warn').mockImplementation(() => undefined);
      const core = new CopilotKitCore({
        runtimeUrl: `${url}/copilotkit`,
        runtimeTransport: 'rest',
        headers: { Authorization: `Bearer ${key}` },
      });
      const errors: string[] = [];
      core.subscribe({ onError: ({ code, error }) => void errors.push(`${code}: ${error.message}`) });
      return { core, errors };
    }

    it.each(REFUSALS)('reports a %d of the runtime, and has no agents', async (status) => {
      const { core, errors } = open(await refused(status));
      await until(() => errors.length > 0, 'an error');
      expect(errors[0]).toContain(String(status));
      expect(core.getAgent('default')).toBeUndefined();
      core.setRuntimeUrl(undefined);
    });

    it('reports a run that the key may not start', async () => {
      const { core, errors } = open(await servers.accepted(['runs:read']));
      await until(() => core.getAgent('default') !== undefined, 'the agents');
      const agent = core.getAgent('default');
      if (!agent) throw new Error('There is no agent');
      agent.addMessage({ id: 'u1', role: 'user', content: 'plain text' });
      await core.runAgent({ agent });
      expect(errors.join('\n')).toContain('403');
      expect(agent.messages.map(({ role }) => role)).toEqual(['user']);
      core.setRuntimeUrl(undefined);
    });

    it('finishes a run', async () => {
      const { core, errors } = open(await accepted());
      await until(() => core.getAgent('default') !== undefined, 'the agents');
      const agent = core.getAgent('default');
      if (!agent) throw new Error('There is no agent');
      agent.addMessage({ id: 'u1', role: 'user', content: 'plain text' });
      await core.runAgent({ agent });
      expect(agent.messages.at(-1)?.content).toBe(TEXT);
      expect(errors).toEqual([]);
      core.setRuntimeUrl(undefined);
    });
  });

  describe('@cloudbase/js-sdk', () => {
    interface Bot {
      sendMessage(body: object): Promise<{ readonly textStream: AsyncIterable<string> }>;
      list(query: object): Promise<{ readonly botList: readonly unknown[] }>;
    }

    function bot({ url, key }: { url: string; key: string }): Bot {
      const app = cloudbase.init({ env: 'local', region: 'ap-shanghai', accessKey: key }) as unknown as {
        ai(options: { readonly baseUrl: string }): { readonly bot: Bot };
      };
      return app.ai({ baseUrl: `${url}/v1` }).bot;
    }

    const message = () => ({
      botId: 'worker',
      conversationId: randomUUID(),
      messages: [{ role: 'user', content: 'plain text' }],
    });

    it.each(REFUSALS)('throws the code of a %d', async (status) => {
      const one = bot(await refused(status));
      await expect(one.sendMessage(message())).rejects.toThrow(REFUSAL_CODES[status]);
      await expect(one.list({})).rejects.toThrow(REFUSAL_CODES[status]);
    });

    it('finishes a run', async () => {
      const { textStream } = await bot(await accepted()).sendMessage(message());
      let text = '';
      for await (const piece of textStream) text += piece;
      expect(text).toBe(TEXT);
    });
  });

  describe('EventSource', () => {
    async function ask({ url, key }: { url: string; key: string }): Promise<string> {
      const openai = new OpenAI6({ apiKey: key, baseURL: `${url}/v1` });
      const { id } = await openai.responses.create({ model: 'x', input: 'plain text' });
      return `${url}/runs/${id}/events?protocol=responses`;
    }

    it('fails for good without a credential', async () => {
      const source = new EventSource(await ask(await accepted()));
      const code = await new Promise((resolve) => source.addEventListener('error', (event) => resolve(event.code)));
      expect(code).toBe(401);
      expect(source.readyState).toBe(EventSource.CLOSED);
    });

    it('reads a run with a ticket', async () => {
      const { url, key } = await accepted();
      const path = (await ask({ url, key })).slice(url.length);
      const answer = await fetch(`${url}/access/tickets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ path: path.split('?')[0] }),
      });
      const { ticket } = (await answer.json()) as { ticket: string };
      const source = new EventSource(`${url}${path}&ticket=${ticket}`);
      const data = await new Promise<string>((resolve, reject) => {
        source.addEventListener('response.completed', ({ data: text }) => resolve(text as string));
        source.addEventListener('error', ({ message }) => reject(new Error(message)));
      });
      source.close();
      expect(data).toContain(TEXT);
    });
  });

  describe('WebSocket', () => {
    const socket = ({ url, key }: { url: string; key: string }): WebSocket =>
      new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, { headers: { authorization: `Bearer ${key}` } });

    it.each(REFUSALS)('is refused with %d before the upgrade, with the body of the wire', async (status) => {
      const one = socket(await refused(status));
      const { head, body } = await new Promise<{ head: NodeJS.Dict<string | string[]>; body: string }>(
        (resolve, reject) => {
          one.once('open', () => reject(new Error('The socket was opened')));
          one.once('unexpected-response', (_, response) => {
            let text = '';
            expect(response.statusCode).toBe(status);
            response.on('data', (data: Buffer) => (text += data.toString()));
            response.on('end', () => resolve({ head: response.headers, body: text }));
          });
        },
      );
      expect(head['content-type']).toContain('application/json');
      const code = { 401: 'invalid_api_key', 403: 'permission_denied', 429: 'rate_limit_exceeded' }[status];
      expect(JSON.parse(body)).toMatchObject({ error: { code, param: null } });
      if (status === 429) expect(Number(head['retry-after'])).toBeGreaterThan(0);
      else expect(head['www-authenticate']).toContain('Bearer realm="parley"');
    });

    it('finishes a run', async () => {
      const one = socket(await accepted());
      const text = await new Promise<string>((resolve, reject) => {
        one.once('error', reject);
        one.once('open', () => one.send(JSON.stringify({ type: 'response.create', model: 'x', input: 'plain text' })));
        one.on('message', (data: Buffer) => {
          if (data.toString().includes('"type":"response.completed"')) resolve(data.toString());
        });
      });
      one.close();
      expect(text).toContain(TEXT);
    });
  });
});
