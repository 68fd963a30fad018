import type { ModelRequest } from '../../../src/agent/index.js';
import { ScriptedModelClient } from '../../../src/agent/testing/scripted-model-client.js';
import { answerCompletion } from '../../support/completion-answers.js';
import { COMPLETIONS_VERSIONS, CompletionsClient } from '../../support/completions-client.js';
import { GoldenTools } from '../../support/golden.js';
import { startServer, type TestServer } from '../../support/server.js';
import { until } from '../../support/until.js';

const ANIMAL = {
  type: 'object',
  properties: { name: { type: 'string' }, legs: { type: 'number' } },
  required: ['name', 'legs'],
  additionalProperties: false,
};

/** The AI SDK with its defaults but for the address (contract chat-completions, section F). */
describe.each(COMPLETIONS_VERSIONS)('@ai-sdk/openai-compatible $title', (version) => {
  let server: TestServer;
  let model: ScriptedModelClient;
  let client: CompletionsClient;
  let baseURL: string;

  beforeAll(async () => {
    model = new ScriptedModelClient(answerCompletion);
    server = await startServer({ model, providers: [GoldenTools] });
    baseURL = `${server.url}/v1`;
    client = await CompletionsClient.start(version);
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  /** The results that the last model call was given. */
  const outputs = (): string[] =>
    (model.requests.at(-1) as ModelRequest).messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));

  it('generates and streams texts with reasoning and usage', async () => {
    const made = await client.generate({ baseURL, prompt: 'hello' });
    expect(made).toMatchObject({ text: 'It is fine.', finishReason: 'stop', tokens: 15 });
    expect(made.reasoningText?.trim()).toBe('Hm.');
    const streamed = await client.stream({ baseURL, prompt: 'hello' });
    expect(streamed).toMatchObject({ text: 'It is fine.', finishReason: 'stop', tokens: 15, errors: [] });
    expect(streamed.kinds).toEqual(expect.arrayContaining(['reasoning-delta', 'text-delta', 'finish']));
  });

  it('runs tools in two steps, with the result of the server in between', async () => {
    const made = await client.generate({ baseURL, prompt: 'maps', places: true });
    expect(made).toMatchObject({ steps: 2, text: 'Here they are.' });
    expect(outputs()).toEqual([expect.stringContaining('21'), 'Paris is shown', 'Rome is shown']);
    const streamed = await client.stream({ baseURL, prompt: 'maps', places: true });
    expect(streamed).toMatchObject({ text: 'Here they are.', errors: [] });
    expect(streamed.answers).toHaveLength(2);
    expect(outputs()).toEqual([expect.stringContaining('21'), 'Paris is shown', 'Rome is shown']);
  });

  it('makes objects', async () => {
    const { output } = await client.generate({ baseURL, prompt: 'an animal', schema: ANIMAL });
    expect(output).toEqual({ name: 'cat', legs: 4 });
  });

  it('shows an error part with the code of the run, and asks once', async () => {
    const streamed = await client.stream({ baseURL, prompt: 'fail' });
    expect(streamed.kinds).toContain('error');
    expect(JSON.stringify(streamed.errors)).toContain('model_execution_failed');
    expect(streamed.answers).toHaveLength(1);
    const { error, answers } = await client.generate({ baseURL, prompt: 'fail' });
    expect(error).toMatchObject({ isCallError: true, isRetryError: false, isRetryable: false, status: 400 });
    expect(answers).toHaveLength(1);
  });

  it('cancels the run when it aborts', async () => {
    await client.stream({ baseURL, prompt: 'hold', leaves: true });
    const listed = await fetch(`${server.url}/api/v1/runs?limit=1`);
    const [run] = ((await listed.json()) as { data: { id: string }[] }).data;
    await until(async () => {
      const events = await fetch(`${server.url}/runs/${run?.id}/events?protocol=chat-completions`);
      return (await events.text()).includes('run_canceled');
    });
  });
});
