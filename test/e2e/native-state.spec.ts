import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createGroq } from '@ai-sdk/groq';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { BEDROCK, GROQ, MISTRAL } from '../support/native-chat-servers.js';
import { ANTHROPIC, GOOGLE, NativeServer, OPENAI } from '../support/native-servers.js';
import { startServer, type ServerOptions, type TestServer } from '../support/server.js';

interface ResponseBody {
  readonly id: string;
  readonly status: string;
}

const THINKING = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } };
const PROVIDERS = [
  [
    'Anthropic',
    ANTHROPIC,
    (baseURL: string) => createAnthropic({ baseURL, apiKey: 'k' })('claude-sonnet-4-5'),
    THINKING,
  ],
  ['Google', GOOGLE, (baseURL: string) => createGoogleGenerativeAI({ baseURL, apiKey: 'k' })('gemini-3-flash'), {}],
  ['OpenAI', OPENAI, (baseURL: string) => createOpenAI({ baseURL, apiKey: 'k' }).responses('gpt-5'), {}],
  ['Mistral', MISTRAL, (baseURL: string) => createMistral({ baseURL, apiKey: 'k' })('magistral-medium-latest'), {}],
  ['Groq', GROQ, (baseURL: string) => createGroq({ baseURL, apiKey: 'k' })('openai/gpt-oss-120b'), {}],
  [
    'Bedrock',
    BEDROCK,
    (baseURL: string) =>
      createAmazonBedrock({ baseURL, apiKey: 'k', region: 'us-east-1' })(
        'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      ),
    { bedrock: { reasoningConfig: { type: 'enabled', budgetTokens: 1024 } } },
  ],
] as const;

describeOnDatabases('state of native providers', (openDatabase) => {
  let database: TestDatabase;
  let upstream: NativeServer;
  let server: TestServer;

  beforeAll(async () => (database = await openDatabase()));
  afterAll(() => database.drop());
  afterEach(async () => {
    expect(upstream.refusals).toEqual([]);
    await server.close();
    await upstream.close();
  });

  async function start(model: ServerOptions['model'], providerOptions: ServerOptions['providerOptions']) {
    server = await startServer({ database, model, providerOptions });
  }

  async function post(path: string, body: object): Promise<string> {
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.text();
  }
  const respond = async (body: object): Promise<ResponseBody> =>
    JSON.parse(await post('/v1/responses', { model: 'default', ...body })) as ResponseBody;

  it.each(PROVIDERS)(
    'of %s comes back over three turns, a restart, two wires and a fork',
    async (name, api, make, options) => {
      upstream = await new NativeServer(api).listen();
      const model = make(upstream.url);
      await start(model, options);
      const input = [{ role: 'user', content: [{ type: 'text', text: 'Look' }] }];
      const first = await post('/process', { session_id: `native ${name}`, input });
      expect(first).toContain('"status":"completed"');
      expect(first).not.toMatch(/signature-|redacted-|encrypted-/);
      expect(upstream.returned).toBe(1);
      await server.close();
      await start(model, options);

      const second = await respond({ input: 'Look again', conversation: `native ${name}` });
      expect([second.status, upstream.returned]).toEqual(['completed', 3]);
      const third = await respond({ input: 'Look once more', conversation: `native ${name}` });
      expect([third.status, upstream.returned]).toEqual(['completed', 5]);
      const fork = await respond({ input: 'Or else?', previous_response_id: second.id });
      expect([fork.status, upstream.returned]).toEqual(['completed', 4]);
    },
  );

  it('of one provider is not sent to another', async () => {
    const claude = await new NativeServer(ANTHROPIC).listen();
    upstream = claude;
    await start(createAnthropic({ baseURL: claude.url, apiKey: 'k' })('claude-sonnet-4-5'), THINKING);
    const first = await respond({ input: 'Look' });
    await server.close();

    upstream = await new NativeServer({ ...GOOGLE, answersIn: () => [] }).listen();
    await start(createGoogleGenerativeAI({ baseURL: upstream.url, apiKey: 'k' })('gemini-3-flash'), {});
    const second = await respond({ input: 'Well?', previous_response_id: first.id });
    expect(second.status).toBe('completed');
    const sent = JSON.stringify(upstream.bodies);
    expect(sent).not.toMatch(/signature-|redacted-|Thoughts/);
    await server.close();
    await upstream.close();

    // Back at the first one, its states are still there.
    upstream = claude;
    await start(createAnthropic({ baseURL: claude.url, apiKey: 'k' })('claude-sonnet-4-5'), THINKING);
    const third = await respond({ input: 'And now?', previous_response_id: first.id });
    expect([third.status, upstream.returned]).toEqual(['completed', 2]);
  });
});
