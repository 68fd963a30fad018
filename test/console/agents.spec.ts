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
    const page = await browser.page(`${server.url}/console/#/tools`);
    const support = page.getByRole('region', { name: 'Agents' }).getByRole('listitem').filter({ hasText: 'support' });
    await support.getByText('Tools: get_order, handbook/*').waitFor();
    await support.getByText('Model: fast, temperature 0.2, maxTokens 800').waitFor();
    await support.getByText('Model calls per run: 4 at most').waitFor();
    const worker = page.getByRole('region', { name: 'Agents' }).getByRole('listitem').filter({ hasText: 'worker' });
    await worker.getByText('Tools: all').waitFor();
    expect(browser.problems).toEqual([]);
    await page.context().close();
  });
});
