import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import OpenAI from 'openai';
import { ScriptedModelClient } from '../../../src/agent/testing/scripted-model-client.js';
import { answerCompletion } from '../../support/completion-answers.js';
import { COMPLETIONS_VERSIONS, CompletionsClient } from '../../support/completions-client.js';
import { GoldenTools } from '../../support/golden.js';
import { type KeyedServer, type Refusal, REFUSALS, RefusingServers } from '../../support/refused-keys.js';

const NAMES = { 401: 'invalid_api_key', 403: 'permission_denied', 429: 'rate_limit_exceeded' } as const;
/** Of what a key may not do, or may not do yet. */
const SENTENCES = { 401: /credential is not valid/, 403: /runs:write/, 429: /too many requests/i } as const;
/** A key that may make a request every 3 seconds: longer than clients wait by themselves. */
const PER_MINUTE = 20;
const WAIT_MS = 3000;
/** May run agents, but not answer for people. */
const NO_DECISIONS = ['runs:write', 'runs:read', 'agents:*', 'tools:*', 'models:*'];

/** Refusals as the clients of Chat Completions raise them (contract chat-completions, section A7). */
describe('refusals of Chat Completions', () => {
  const servers = new RefusingServers({ model: new ScriptedModelClient(answerCompletion), providers: [GoldenTools] });
  afterAll(() => servers.close());

  /** The approvals that are open. */
  async function open({ url, key }: KeyedServer): Promise<number> {
    const listed = await fetch(`${url}/approvals`, { headers: { authorization: `Bearer ${key}` } });
    return ((await listed.json()) as { readonly data: readonly unknown[] }).data.length;
  }

  describe.each(COMPLETIONS_VERSIONS)('@ai-sdk/openai-compatible $title', (version) => {
    let client: CompletionsClient;
    beforeAll(async () => {
      client = await CompletionsClient.start(version);
    });
    afterAll(() => client.close());

    const of = ({ url, key }: KeyedServer) => ({ baseURL: `${url}/v1`, apiKey: key, prompt: 'hello' });

    it.each(REFUSALS)('raises a %d as the error of its call, with a sentence and the code', async (status) => {
      const call = { ...of(await servers.refused(status)), maxRetries: 0 };
      const { error } = await client.generate(call);
      const { errors, kinds } = await client.stream(call);
      expect(kinds).toContain('error');
      for (const told of [error, errors?.[0]]) {
        expect(told).toMatchObject({ isCallError: true, status, isRetryable: status === 429 });
        expect(told?.message).toMatch(SENTENCES[status]);
        expect(told?.all).toContain(NAMES[status]);
      }
    });

    it.each([401, 403] as const)('does not repeat a %d', async (status) => {
      const { answers, error } = await client.generate(of(await servers.refused(status)));
      expect([answers.length, error?.isRetryError]).toEqual([1, false]);
    });

    it('waits as long as a 429 says, and then succeeds', async () => {
      const { text, answers } = await client.generate(of(await servers.usedUp(PER_MINUTE)));
      expect(text).toBe('It is fine.');
      expect(answers.map(({ status }) => status)).toEqual([429, 200]);
      expect(answers[0]?.retryAfter).toBe('3');
      expect(Number(answers[1]?.at) - Number(answers[0]?.at)).toBeGreaterThanOrEqual(WAIT_MS - 100);
    });

    it('cannot approve with a key that may not decide', async () => {
      const keyed = await servers.accepted(NO_DECISIONS);
      const { error, answers } = await client.generate({ ...of(keyed), prompt: 'window', approves: true });
      expect(answers.map(({ status }) => status)).toEqual([200, 403]);
      expect(error).toMatchObject({ isCallError: true, status: 403, isRetryable: false });
      expect(error?.message).toMatch(/approvals:decide/);
      expect(await open(keyed)).toBe(1);
    });
  });

  describe('@langchain/openai', () => {
    let statuses: { readonly status: number; readonly at: number }[] = [];
    beforeEach(() => (statuses = []));

    const CLASSES = {
      401: OpenAI.AuthenticationError,
      403: OpenAI.PermissionDeniedError,
      429: OpenAI.RateLimitError,
    } as const;
    const LANGCHAIN_CODES: Readonly<Record<Refusal, string | undefined>> = {
      401: 'MODEL_AUTHENTICATION',
      403: undefined,
      429: 'MODEL_RATE_LIMIT',
    };
    const chat = ({ url, key }: KeyedServer, options: object = {}): ChatOpenAI =>
      new ChatOpenAI({
        model: 'worker',
        apiKey: key,
        configuration: {
          baseURL: `${url}/v1`,
          fetch: async (...args: Parameters<typeof fetch>) => {
            const answer = await fetch(...args);
            statuses.push({ status: answer.status, at: Date.now() });
            return answer;
          },
        },
        ...options,
      });

    it.each(REFUSALS)('raises the error class of %d, invoked or streamed', async (status) => {
      const one = chat(await servers.refused(status), { maxRetries: 0 });
      const thrown = [
        await one.invoke('hello').catch((error: unknown) => error),
        await one.stream('hello').catch((error: unknown) => error),
      ];
      for (const error of thrown) {
        expect((error as Error).constructor.name).toBe(CLASSES[status].name);
        expect(error).toMatchObject({ status, code: NAMES[status], message: expect.stringMatching(SENTENCES[status]) });
        expect((error as { lc_error_code?: string }).lc_error_code).toBe(LANGCHAIN_CODES[status]);
      }
    });

    it.each([401, 403] as const)('does not repeat a %d', async (status) => {
      await expect(chat(await servers.refused(status)).invoke('hello')).rejects.toThrow();
      expect(statuses).toHaveLength(1);
    });

    it('waits as long as a 429 says, and then succeeds', async () => {
      const answer = await chat(await servers.usedUp(PER_MINUTE)).invoke('hello');
      expect(answer.content).toBe('It is fine.');
      expect(statuses.map(({ status }) => status)).toEqual([429, 200]);
      expect(Number(statuses[1]?.at) - Number(statuses[0]?.at)).toBeGreaterThanOrEqual(WAIT_MS - 100);
    });

    it('cannot approve with a key that may not decide', async () => {
      const keyed = await servers.accepted(NO_DECISIONS);
      const ask = tool(() => 'approved', {
        name: 'request_approval',
        description: 'Asks.',
        schema: { type: 'object' },
      });
      const bound = chat(keyed).bindTools([ask]);
      const asked = new HumanMessage('window');
      const first = await bound.invoke([asked]);
      const id = first.tool_calls?.[0]?.id ?? '';
      const answered = bound.invoke([asked, first, new ToolMessage({ tool_call_id: id, content: 'approved' })]);
      await expect(answered).rejects.toMatchObject({
        status: 403,
        message: expect.stringContaining('approvals:decide'),
      });
      expect(await open(keyed)).toBe(1);
    });
  });
});
