import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { apiKey } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** Webhooks and schedules in the console (contract hooks, A and B). */
describeInBrowser('webhooks and schedules in the console', (browser) => {
  let server: TestServer;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    receiver = await new WebhookReceiver().listen();
    server = await startServer({
      env: { AUTH: 'keys', WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' },
    });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await receiver.close();
  });

  async function signedIn(title: 'Webhooks' | 'Schedules', scopes: readonly string[]) {
    const page = await browser.page(`${server.url}/console/#/${title.toLowerCase()}`);
    await page
      .getByLabel('API key or token')
      .fill(await apiKey(server, { account: title.toLowerCase(), scopes: [...scopes] }));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    return page;
  }

  it('an endpoint is added, tried, sent to again, disabled and removed', async () => {
    const url = receiver.urlOf('/console');
    const page = await signedIn('Webhooks', ['runs:read', 'webhooks:read', 'webhooks:write']);
    await page.getByText('No webhooks yet.').waitFor();
    await page.getByText('Add a webhook').click();
    const form = page.getByRole('form', { name: 'New webhook' });
    await form.getByLabel('Address').fill(url);
    await form.getByLabel('Description').fill('Nightly reports');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    const secret = page.getByRole('status').filter({ hasText: 'The secret is shown only now' });
    await secret.getByText(/^whsec_/).waitFor();
    const list = page.getByRole('region', { name: 'List of webhooks' });
    await list.getByText('Nightly reports').waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('button', { name: `Test ${url}` }).click();
    await until(() => receiver.at('/console').length === 1, 'the test event');
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    const first = deliveries.getByText(/Delivered,/);
    await until(async () => {
      await deliveries.getByRole('button', { name: 'Refresh' }).click();
      return (await first.count()) === 1;
    }, 'the delivery in the list');
    await first.click();
    await deliveries.getByText(/: 200 after \d+ ms/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await deliveries.getByRole('button', { name: 'Send again' }).click();
    await until(() => receiver.at('/console').length === 2, 'the event once more');
    const [one, other] = receiver.at('/console');
    expect(other?.headers['webhook-id']).toBe(one?.headers['webhook-id']);

    await page.getByRole('button', { name: `Disable ${url}` }).click();
    await list.getByText('Disabled').waitFor();
    await page.getByRole('button', { name: `Remove ${url}` }).click();
    await page.getByRole('button', { name: 'Yes, remove' }).click();
    await page.getByText('No webhooks yet.').waitFor();
    await page.context().close();
  });

  it('a schedule shows its next times, runs now, and is disabled and removed', async () => {
    const page = await signedIn('Schedules', ['runs:read', 'runs:write', 'schedules:read', 'schedules:write']);
    await page.getByText('Add a schedule').click();
    const form = page.getByRole('form', { name: 'New schedule' });
    await form.getByLabel('Plan').fill('0 9 * * moon');
    await form.getByRole('status').getByText(/cron/i).waitFor();
    await form.getByLabel('Plan').fill('0 9 * * mon-fri');
    await form
      .getByRole('status')
      .getByText(/^Next: .*09:00/)
      .waitFor();
    await form.getByLabel('Name').fill('Morning report');
    await form.getByLabel('Input').fill('Write the morning report.');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    const list = page.getByRole('region', { name: 'List of schedules' });
    await list.getByText('Morning report').waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('button', { name: 'Run now: Morning report' }).click();
    await page.getByRole('status').getByRole('link', { name: 'the run' }).click();
    await page.getByText('Write the morning report.').first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Disable Morning report' }).click();
    await list.getByText('Disabled').waitFor();
    await page.getByRole('button', { name: 'Remove Morning report' }).click();
    await page.getByRole('button', { name: 'Yes, remove' }).click();
    await page.getByText('No schedules yet.').waitFor();
    await page.context().close();
  });

  it.each([
    ['Webhooks', 'New webhook'],
    ['Schedules', 'New schedule'],
  ] as const)('a person who may only read %s sees no form', async (title, form) => {
    const page = await signedIn(title, ['runs:read', `${title.toLowerCase()}:read`]);
    await page.getByText(`No ${title.toLowerCase()} yet.`).waitFor();
    expect(await page.getByRole('form', { name: form }).count()).toBe(0);
    await page.context().close();
  });

  it('nothing went wrong in the pages', () => {
    // Requests without a key, and a plan that is none, are refused.
    expect(browser.problems.filter((problem) => !/status of 40[01]/.test(problem))).toEqual([]);
  });
});
