import {
  type Delta,
  openAiRefusal,
  type StrictServer,
  strictServer,
} from '../../src/agent/adapters/testing/strict-server.js';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { apiKey } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

const CALL: Delta = {
  tool_calls: [{ index: 0, id: 'c1', function: { name: 'get_temperature', arguments: '{"city":"Paris"}' } }],
};
/** What a model without eyes answers, in the order of the checks. */
const ANSWERS: readonly Delta[] = [
  { content: 'ready' },
  CALL,
  { content: 'It is 21 degrees.' },
  { content: '{"answer":5}' },
  { content: '1\n2\n3' },
  { content: 'I cannot see images.' },
];

describeInBrowser('the page of models', (browser) => {
  let upstream: StrictServer;
  let server: TestServer;

  /** A server with an upstream that refuses `max_tokens`, as OpenAI does, and a model that it does not know. */
  async function start(env: NodeJS.ProcessEnv = {}): Promise<void> {
    upstream = await strictServer(
      ({ model }) =>
        model === 'unknown'
          ? { status: 404, body: { error: { message: 'The model `unknown` does not exist', code: 'model_not_found' } } }
          : undefined,
      (body) =>
        'max_tokens' in body
          ? openAiRefusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 'max_tokens')
          : undefined,
    );
    const model = { LLM_BASE_URL: `${upstream.url}?secret=sesame`, LLM_MODEL: 'model-a', LLM_MAX_RETRIES: '0' };
    server = await startServer({ env: { ...model, ...env } });
  }
  afterEach(async () => {
    await server.close();
    await upstream.close();
    browser.problems.splice(0);
  });

  const ask = (body: object): Promise<Response> =>
    fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ stream: false, ...body }),
    });

  it('shows the model, the last failure with its likely cause, and after a trial the report and the repair', async () => {
    await start();
    await ask({ model: 'unknown', input: [{ role: 'user', content: [{ type: 'text', text: 'my own words' }] }] });
    upstream.answers.push(...ANSWERS.map((delta) => [delta]));
    const page = await browser.page(`${server.url}/console/#/models`);
    const model = page.getByRole('region', { name: 'model-a' });
    await model.getByText('LLM_BASE_URL', { exact: true }).waitFor();
    await model.getByText(/^generic, chosen by/).waitFor();
    const failure = model.getByRole('region', { name: 'Last failures' });
    await failure.getByText('The model was not found').waitFor();
    await failure.getByText(/Likely cause: the server has no model "unknown"/).waitFor();
    await failure.getByText(new URL('/v1/chat/completions', upstream.url).href).waitFor();

    await page.getByRole('button', { name: 'Try the model' }).click();
    const report = page.getByRole('region', { name: 'Report' });
    for (const name of ['text', 'tool result', 'JSON', 'limit']) {
      await report.getByRole('row', { name: new RegExp(`^${name} Works`) }).waitFor();
    }
    await report.getByRole('row', { name: /^image Not supported the model does not see the image/ }).waitFor();
    await page.getByText(/^7 requests, .* tokens in/).waitFor();
    await model.getByText(/with max_completion_tokens instead of max_tokens/).waitFor();
    await page.getByRole('region', { name: 'LLM_COMPAT' }).getByText('"max_completion_tokens"').waitFor();
    expect(await page.content()).not.toMatch(/sesame|my own words/);
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 380, height: 760 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    expect(browser.problems).toEqual([]);
    await page.context().close();
  });

  it('shows each model of LLM_MODELS, with the agents that may use it, and tries the one that is chosen', async () => {
    await start({
      LLM_MODELS: JSON.stringify({
        fast: { baseUrl: 'http://127.0.0.1:9/v1', model: 'model-b', agents: ['support-*'] },
        strong: { baseUrl: 'http://127.0.0.1:9/v1', model: 'model-c' },
      }),
    });
    const page = await browser.page(`${server.url}/console/#/models`);
    await page.getByRole('region', { name: 'model-a' }).getByText('default', { exact: true }).waitFor();
    const fast = page.getByRole('region', { name: 'fast' });
    await fast.getByText('model-b', { exact: true }).waitFor();
    await fast.getByText('support-*', { exact: true }).waitFor();
    await fast.getByText('LLM_MODELS fast', { exact: true }).waitFor();
    await fast.getByRole('button', { name: 'Try the model' }).click();
    await fast.getByRole('row', { name: /^text Failed/ }).waitFor();
    await fast
      .getByRole('region', { name: 'Last failures' })
      .getByText(/could not be reached/)
      .waitFor();
    expect(upstream.seen).toEqual([]);
    await page.getByRole('region', { name: 'strong' }).getByText('No call has failed').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('answers 404 to a trial of a model that it does not have', async () => {
    await start();
    const answer = await fetch(`${server.url}/api/v1/models/check?name=none`, { method: 'POST' });
    expect([answer.status, upstream.seen.length]).toEqual([404, 0]);
  });

  it('is for operators: others do not see it, and without runs:write nothing can be tried', async () => {
    await start({ AUTH: 'keys' });
    const signedIn = async (scopes: string[]) => {
      const page = await browser.page(`${server.url}/console/#/models`);
      await page.getByLabel('API key or token').fill(await apiKey(server, { scopes }));
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      return page;
    };
    const reader = await signedIn(['runs:read']);
    await reader.getByText('The scope ops:read is required').waitFor();
    expect(await reader.getByRole('link', { name: 'Models' }).count()).toBe(0);
    const watcher = await signedIn(['runs:read', 'ops:read']);
    await watcher.getByRole('link', { name: 'Models' }).waitFor();
    await watcher.getByText('Your credential may not do this: it lacks the scope runs:write.').waitFor();
    expect(await watcher.getByRole('button', { name: 'Try the model' }).isDisabled()).toBe(true);
    const check = await fetch(`${server.url}/api/v1/models/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await apiKey(server, { scopes: ['ops:read'] })}` },
    });
    expect([check.status, upstream.seen.length]).toEqual([403, 0]);
    await reader.context().close();
    await watcher.context().close();
  });
});
