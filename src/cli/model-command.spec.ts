import {
  type Delta,
  openAiRefusal,
  type StrictRule,
  type StrictServer,
  strictServer,
} from '../agent/adapters/testing/strict-server.js';
import { modelCommand } from './model-command.js';

const KEY = 'sk-never-shown-anywhere';
const CALL: Delta = {
  tool_calls: [{ index: 0, id: 'c1', function: { name: 'get_temperature', arguments: '{"city":"Paris"}' } }],
};
/** What a capable model answers, in the order of the checks. */
const ANSWERS: readonly Delta[] = [
  { content: 'ready' },
  CALL,
  { content: 'It is 21 degrees.' },
  { content: '{"answer":5}' },
  { content: '1\n2\n3' },
  { content: 'Red' },
];

/** As the reasoning models of OpenAI refuse it. */
const refusesMaxTokens: StrictRule = (body) =>
  'max_tokens' in body
    ? openAiRefusal(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        'max_tokens',
        'unsupported_parameter',
      )
    : undefined;

const refusesKey: StrictRule = () => ({
  status: 401,
  body: { error: { message: `Incorrect API key provided: ${KEY}`, type: 'invalid_request_error', param: null } },
});

describe('parley model', () => {
  let server: StrictServer | undefined;

  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function check(env: NodeJS.ProcessEnv): Promise<{ code: number; out: string; note: string }> {
    const out: string[] = [];
    const note: string[] = [];
    const terminal = {
      out: (line: string) => void out.push(line),
      note: (line: string) => void note.push(line),
      input: () => Promise.resolve(''),
    };
    const code = await modelCommand(env, terminal);
    return { code, out: out.join('\n'), note: note.join('\n') };
  }

  /** With a model at a server with these rules, which gives these answers. */
  async function checkServer(rules: readonly StrictRule[], answers: readonly Delta[]): ReturnType<typeof check> {
    server = await strictServer(...rules);
    server.answers.push(...answers.map((delta) => [delta]));
    return check({ LLM_BASE_URL: server.url, LLM_API_KEY: KEY, LLM_MODEL: 'model-a' });
  }

  it('a model that can everything', async () => {
    const { code, out } = await checkServer([], ANSWERS);
    expect(code).toBe(0);
    for (const name of ['text', 'tool', 'tool result', 'JSON', 'limit', 'image']) {
      expect(out).toMatch(new RegExp(`^${name} +works *$`, 'm'));
    }
    expect(out).toMatch(/^model-a of openai-compatible at http:\/\/127\.0\.0\.1:\d+\/v1, chosen by LLM_BASE_URL$/m);
    expect(out).toMatch(/^Profile generic, chosen by /m);
    expect(out).not.toMatch(/Repairs|sk-never/);
    expect(server?.seen.length).toBe(6);
  });

  it('a refusal is repaired, and the setting named that avoids it', async () => {
    const { code, out } = await checkServer([refusesMaxTokens], ANSWERS);
    expect(code).toBe(0);
    expect(out).toContain("because the server said: Unsupported parameter: 'max_tokens'");
    const compat = /^Set LLM_COMPAT='(.+)' to make them unnecessary\.$/m.exec(out)?.[1] ?? '';
    expect(JSON.parse(compat)).toEqual({ limit: 'max_completion_tokens' });
  });

  it('a model without eyes is no failure; one that does not call tools is', async () => {
    const blind = [...ANSWERS.slice(0, 5), { content: 'I cannot see images.' }];
    await expect(checkServer([], blind)).resolves.toMatchObject({
      code: 0,
      out: expect.stringMatching(/^image +unsupported +the model does not see the image$/m) as string,
    });
    await server?.close();
    const idle = [{ content: 'ready' }, { content: 'Look out of the window.' }, ...ANSWERS.slice(3)];
    const { code, out } = await checkServer([], idle);
    expect(code).toBe(1);
    expect(out).toMatch(/^tool +failed +the model did not call the tool$/m);
    expect(out).not.toMatch(/^tool result/m);
  });

  it('the profile is that of the owner in the list of models', async () => {
    server = await strictServer();
    server.models = { object: 'list', data: [{ id: 'model-a', owned_by: 'vllm' }] };
    server.answers.push(...ANSWERS.map((delta) => [delta]));
    const { out } = await check({ LLM_BASE_URL: server.url, LLM_API_KEY: KEY, LLM_MODEL: 'model-a' });
    expect(out).toMatch(/^Profile vllm, chosen by the owner vllm in its list of models$/m);
  });

  it('nothing more is tried if no text comes; the key is not shown', async () => {
    const { code, out } = await checkServer([refusesKey], []);
    expect(code).toBe(1);
    expect(out).toMatch(/^text +failed +\S.*Incorrect API key provided/m);
    expect(out).not.toContain(KEY);
    expect(server?.seen.length).toBe(1);
  });

  it('without a model it says what to set', async () => {
    const { code, out, note } = await check({});
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(note).toContain('LLM_BASE_URL');
  });
});
