import { ScriptedModelClient } from '../../src/agent/testing/scripted-model-client.js';
import { SupportAgent } from '../examples/support.agents.js';
import { describeInBrowser } from '../support/browser.js';
import { startServer, type TestServer } from '../support/server.js';

describeInBrowser('the agents in the console', (browser) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ providers: [SupportAgent], model: new ScriptedModelClient([]) });
  });
  afterAll(() => server.close());

  it('an agent shows its tools, its model with its options, and its steps', async () => {
    const page = await browser.page(`${server.url}/console/#/agents`);
    const support = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').filter({ hasText: 'support' });
    await support.getByText('get_order, handbook/*', { exact: true }).waitFor();
    await support.getByText('fast, temperature 0.2, maxTokens 800', { exact: true }).waitFor();
    await support.getByText('4 at most', { exact: true }).waitFor();
    await support.getByText('Continues where it stopped', { exact: true }).waitFor();
    const worker = page.getByRole('list', { name: 'Agents' }).getByRole('listitem').filter({ hasText: 'worker' });
    await worker.getByText('all', { exact: true }).waitFor();
    expect(browser.problems).toEqual([]);
    await page.context().close();
  });

  it('the quoted sentences of its description are the first messages that Talk offers', async () => {
    const page = await browser.page(`${server.url}/console/`);
    const suggestions = page.getByRole('group', { name: 'Suggestions' }).getByRole('button');
    await suggestions.first().waitFor();
    expect(await suggestions.allInnerTexts()).toEqual(['What can you do?', 'What time is it in Tokyo?']);
    await page.context().close();
  });

  it('the policy is asked about a call by the agent of choice', async () => {
    const page = await browser.page(`${server.url}/console/#/tools/get_weather`);
    const ask = page.getByRole('form', { name: 'Policy for get_weather' });
    await ask.getByLabel('city', { exact: true }).fill('Lisbon');
    await ask.getByRole('button', { name: 'Ask the policy' }).click();
    await ask.getByRole('status').getByText('Allowed', { exact: true }).waitFor();
    await ask.getByRole('combobox', { name: 'Agent' }).selectOption('support');
    await ask.getByRole('status').waitFor({ state: 'detached' });
    await ask.getByRole('button', { name: 'Ask the policy' }).click();
    await ask.getByRole('alert').getByText('The agent support has no tool').waitFor();
    await page.context().close();
  });
});
