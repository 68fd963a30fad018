import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import OpenAI6 from 'openai';
import OpenAI7 from 'openai7';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { type ModelRequest } from '../../../src/agent/index.js';
import { ScriptedModelClient } from '../../../src/agent/testing/scripted-model-client.js';
import { answerCompletion } from '../../support/completion-answers.js';
import { GoldenTools } from '../../support/golden.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

const Animal = z.object({ name: z.string(), legs: z.number() });
const PLACE = z.object({ place: z.string() });

/** Stock clients with their defaults but for the address (contract chat-completions, section F). */
describe('stock clients of Chat Completions', () => {
  let server: TestServer;
  let model: ScriptedModelClient;
  let baseURL: string;
  let requests = 0;

  beforeAll(async () => {
    model = new ScriptedModelClient(answerCompletion);
    server = await startServer({ model, providers: [GoldenTools] });
    baseURL = `${server.url}/v1`;
  });
  beforeEach(() => (requests = 0));
  afterAll(() => server.close());

  const counting: typeof fetch = (url, init) => {
    requests += 1;
    return fetch(url, init);
  };
  /** The results that the last model call was given. */
  const outputs = (): string[] =>
    (model.requests.at(-1) as ModelRequest).messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
  const isCanceled = (id: string): Promise<unknown> =>
    until(async () => {
      const events = await fetch(`${server.url}/runs/${id}/events?protocol=chat-completions`);
      return (await events.text()).includes('run_canceled');
    });

  describe.each([
    ['6', OpenAI6],
    ['7', OpenAI7 as unknown as typeof OpenAI6],
  ])('openai %s', (_, OpenAI) => {
    let client: OpenAI6;
    beforeAll(() => (client = new OpenAI({ apiKey: 'any', baseURL, fetch: counting })));

    const ask = (content: string) => ({ model: 'worker', messages: [{ role: 'user' as const, content }] });

    it('creates, streams, and streams with its helper', async () => {
      const made = await client.chat.completions.create(ask('hello'));
      expect(made.choices[0]?.message.content).toBe('It is fine.');
      let streamed = '';
      for await (const chunk of await client.chat.completions.create({ ...ask('hello'), stream: true })) {
        streamed += chunk.choices[0]?.delta.content ?? '';
      }
      expect(streamed).toBe('It is fine.');
      const seen: string[] = [];
      const helper = client.chat.completions.stream(ask('hello'));
      helper.on('content.delta', ({ delta }) => seen.push(delta));
      const final = await helper.finalChatCompletion();
      expect(seen.join('')).toBe('It is fine.');
      expect(final.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'It is fine.' } });
    });

    it('parses structured answers', async () => {
      const format = { response_format: zodResponseFormat(Animal, 'animal') };
      const parsed = await client.chat.completions.parse({ ...ask('an animal'), ...format });
      expect(parsed.choices[0]?.message.parsed).toEqual({ name: 'cat', legs: 4 });
      const streamed = await client.chat.completions.stream({ ...ask('an animal'), ...format }).finalChatCompletion();
      expect(streamed.choices[0]?.message.parsed).toEqual({ name: 'cat', legs: 4 });
    });

    it.each([false, true])('runs two client tools beside one of the server, stream %s', async (stream) => {
      const shown: string[] = [];
      const show = {
        type: 'function' as const,
        function: {
          name: 'show_map',
          description: 'Shows a place.',
          parameters: { type: 'object', properties: { place: { type: 'string' } } },
          parse: JSON.parse as (input: string) => { place: string },
          function: ({ place }: { place: string }) => {
            shown.push(place);
            return `${place} is shown`;
          },
        },
      };
      const given = { ...ask('maps'), tools: [show] };
      const runner = stream
        ? client.chat.completions.runTools({ ...given, stream: true })
        : client.chat.completions.runTools(given);
      expect(await runner.finalContent()).toBe('Here they are.');
      expect(shown).toEqual(['Paris', 'Rome']);
      expect(outputs()).toEqual([expect.stringContaining('21'), 'Paris is shown', 'Rome is shown']);
    });

    it('cancels the run when it aborts', async () => {
      const stream = await client.chat.completions.create({ ...ask('hold'), stream: true });
      let id = '';
      for await (const chunk of stream) {
        ({ id } = chunk);
        if (chunk.choices[0]?.delta.content) stream.controller.abort();
      }
      await isCanceled(id);
    });

    it('asks once for a run that fails', async () => {
      await expect(client.chat.completions.create(ask('fail'))).rejects.toMatchObject({
        status: 400,
        code: 'model_execution_failed',
      });
      expect(requests).toBe(1);
      const helper = client.chat.completions.stream(ask('fail'));
      await expect(helper.finalContent()).rejects.toThrow();
      expect(requests).toBe(2);
    });
  });

  describe('@langchain/openai', () => {
    const chat = () =>
      new ChatOpenAI({
        model: 'worker',
        apiKey: 'any',
        configuration: { baseURL, fetch: counting },
        streamUsage: true,
      });

    it('invokes and streams', async () => {
      expect((await chat().invoke('hello')).content).toBe('It is fine.');
      let streamed = '';
      for await (const chunk of await chat().stream('hello')) streamed += chunk.text;
      expect(streamed).toBe('It is fine.');
    });

    it('goes through a loop of tools', async () => {
      const show = langchainTool(({ place }) => `${place} is shown`, {
        name: 'show_map',
        description: 'Shows a place.',
        schema: PLACE,
      });
      const bound = chat().bindTools([show]);
      const asked = new HumanMessage('maps');
      const first = await bound.invoke([asked]);
      const results = (first.tool_calls ?? []).map(
        ({ id = '', args }) => new ToolMessage({ tool_call_id: id, content: `${String(args['place'])} is shown` }),
      );
      expect(results).toHaveLength(2);
      expect((await bound.invoke([asked, first, ...results])).content).toBe('Here they are.');
      expect(outputs()).toEqual([expect.stringContaining('21'), 'Paris is shown', 'Rome is shown']);
    });

    it('parses structured answers', async () => {
      expect(await chat().withStructuredOutput(Animal, { method: 'jsonSchema' }).invoke('an animal')).toEqual({
        name: 'cat',
        legs: 4,
      });
    });

    it('asks once for a run that fails', async () => {
      await expect(chat().invoke('fail')).rejects.toThrow();
      expect(requests).toBe(1);
      const read = async (): Promise<void> => {
        for await (const chunk of await chat().stream('fail')) void chunk;
      };
      await expect(read()).rejects.toThrow();
      expect(requests).toBe(2);
    });
  });
});
