import type { Page } from 'playwright-core';
import { Prices } from '../../src/usage/index.js';
import { seriousFindings } from '../support/axe.js';
import { BillingModelServer } from '../support/billing-model-server.js';
import { describeInBrowser } from '../support/browser.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

describeInBrowser('usage in the console', (browser) => {
  let model: BillingModelServer;
  let server: TestServer;

  beforeAll(async () => {
    model = await BillingModelServer.start({ output: 50 });
    server = await startServer({ env: { ...model.env, AUTH: 'keys' } });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await model.close();
  });

  async function signedIn(key: string): Promise<Page> {
    const page = await browser.page(`${server.url}/console/#/usage`);
    await page.getByLabel('API key or token').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    return page;
  }

  it('prices and budgets are set in forms, and what was used is shown', async () => {
    const scopes = ['runs:read', 'runs:write', 'usage:read', 'admin:budgets'];
    const key = await apiKey(server, { account: 'boss', scopes });
    const page = await signedIn(key);
    const price = page.getByRole('form', { name: 'New price' });
    await price.getByLabel('Model').fill('billed-*');
    await price.getByLabel('Input', { exact: true }).fill('3');
    await price.getByLabel('Output').fill('15');
    await price.getByRole('button', { name: 'Add the price' }).click();
    await page.getByRole('region', { name: 'List of prices' }).getByText('billed-*').waitFor();
    expect(await server.get(Prices).list('default')).toMatchObject([
      { model: 'billed-*', input: 3000, output: 15_000 },
    ]);
    const budget = page.getByRole('form', { name: 'New budget' });
    await budget.getByLabel('Per').selectOption('day');
    await budget.getByLabel('Cost (USD)').fill('2.5');
    await budget.getByRole('button', { name: 'Set the budget' }).click();
    await page.getByRole('region', { name: 'List of budgets' }).getByText('2.5 USD').waitFor();
    await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'worker', input: 'Hello' }),
    });
    await page.reload();
    await page.getByRole('region', { name: 'Sums' }).getByText('worker').waitFor();
    await page.getByRole('region', { name: 'Budgets in their present periods' }).getByText('tenant').waitFor();
    await page.getByRole('img', { name: /the budget per day is 2.5 USD/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/^usage-.*\.csv$/);
    await page.getByRole('button', { name: 'Remove the budget of tenant * per day' }).click();
    await page.getByRole('button', { name: 'Yes, remove' }).click();
    await page.getByRole('region', { name: 'List of budgets' }).waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('a person without the rights sees the own usage and no forms', async () => {
    const page = await signedIn(await apiKey(server, { account: 'reader', scopes: ['runs:read'] }));
    await page.getByText('Nothing was booked').waitFor();
    expect(await page.getByRole('form', { name: 'New budget' }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().close();
  });
});
