import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { UserCleaners } from '../../src/data-protection/index.js';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { apiKey, bearer } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

const OFFICER = ['admin:data', 'data:tenant', 'runs:read', 'usage:read'];
const PHONE = { width: 380, height: 760 };

describeInBrowser('user data in the console', (browser) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ env: { AUTH: 'keys', USAGE: 'always' } });
  }, 60_000);
  afterAll(() => server.close());
  beforeEach(() => {
    browser.problems.splice(0);
  });
  afterEach(() => {
    // Pages cannot hide that there is no receipt, no such session, or no credential yet.
    const refused = /status of 40[0134]/;
    expect(browser.problems.splice(0).filter((problem) => !refused.test(problem))).toEqual([]);
  });

  /** The page at a place, for an account of its own: requests for administration are limited for each. */
  async function signedIn(account: string, place: string, scopes: readonly string[] = OFFICER): Promise<Page> {
    const page = await browser.page(`${server.url}/console/#/${place}`);
    await page.getByLabel('API key or token').fill(await apiKey(server, { account, scopes: [...scopes] }));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    return page;
  }

  /** A user of whom something is stored. */
  async function store(user: string): Promise<void> {
    const answer = await fetch(`${server.url}/v1/responses`, {
      method: 'POST',
      headers: { ...bearer(await apiKey(server, { account: 'shop', user })), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'worker', input: `I am ${user}` }),
    });
    expect(answer.status).toBe(200);
  }

  const receiptOn = (page: Page) => page.getByRole('region', { name: 'Receipt' });
  const eraseButton = (page: Page) => page.getByRole('button', { name: 'Erase this person' });

  /** Confirms with the id. */
  async function erase(page: Page, id: string): Promise<void> {
    await page.getByLabel('Type the id of the user to confirm').fill(id);
    await eraseButton(page).click();
  }

  it('a person who is found by a session is erased, and the receipt stays', async () => {
    await store('margaret');
    const page = await signedIn('officer', 'sessions');
    await page.getByRole('link', { name: /I am margaret/ }).click();
    await page.getByRole('link', { name: 'margaret', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'User data' }).waitFor();
    expect(await page.title()).toBe('User data: margaret · Parley');
    await receiptOn(page).getByText('this user was not erased').waitFor();
    expect(await eraseButton(page).isDisabled()).toBe(true);
    await page.getByLabel('Type the id of the user to confirm').fill('Margaret');
    expect(await eraseButton(page).isDisabled()).toBe(true);
    await erase(page, 'margaret');
    await receiptOn(page).getByText('Erased', { exact: true }).waitFor();
    const row = (title: string) => page.getByRole('row').filter({ hasText: title });
    await row('Sessions').getByRole('cell', { name: '1', exact: true }).waitFor();
    await row('Usage entries').getByText('Kept under a pseudonym').waitFor();
    expect(await eraseButton(page).isDisabled()).toBe(true);
    await page.reload();
    await row('Messages').getByText('Removed').waitFor();
    await receiptOn(page)
      .getByText(/, after \d/)
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('No session yet').waitFor();
    await page.context().close();
  });

  it('what is stored of a person is downloaded, and nothing of a person of whom nothing is stored', async () => {
    await store('ada');
    const page = await signedIn('clerk', 'user-data/ada');
    const saved = async (): Promise<{ readonly name: string; readonly text: string }> => {
      const event = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download', exact: true }).click();
      const download = await event;
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const { name, text } = await saved();
    expect(name).toBe('ada.jsonl');
    expect(text).toContain('I am ada');
    expect(text.trimEnd().split('\n').at(-1)).toContain('"complete":true');
    await page.getByLabel('User id').fill('no/body');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('this user was not erased').waitFor();
    expect((await saved()).text).toContain('"rows":0');
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().close();
  });

  it('the page shows how the work goes on', async () => {
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    server.get(UserCleaners).register({
      cleanUser: ({ user }) => (user.userId === 'patient' ? gate : Promise.resolve()),
    });
    await store('patient');
    const page = await signedIn('watcher', 'user-data/patient');
    await erase(page, 'patient');
    await receiptOn(page).getByText('Erasing', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Sessions' }).waitFor();
    await page.getByLabel('Type the id of the user to confirm').fill('patient');
    expect(await eraseButton(page).isDisabled()).toBe(true);
    goOn();
    await receiptOn(page).getByText('Erased', { exact: true }).waitFor();
    await page.context().close();
  });

  it('of a user of whom nothing is stored there is nothing to erase', async () => {
    const page = await signedIn('finder', 'user-data');
    await page.getByLabel('User id').fill('no/body');
    await page.getByRole('button', { name: 'Show' }).click();
    await receiptOn(page).getByText('this user was not erased').waitFor();
    await erase(page, 'no/body');
    await receiptOn(page).getByText('Nothing to erase').waitFor();
    expect(await page.getByRole('region', { name: 'Erased rows' }).count()).toBe(0);
    await page.getByLabel('User id').fill('x'.repeat(1000));
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('alert').getByText('This cannot be the id of a user').waitFor();
    await page.context().close();
  });

  it('users in the usage lead to their data, for those who may erase it', async () => {
    await store('customer');
    const page = await signedIn('accountant', 'usage');
    await page.getByLabel('Group by').selectOption('user');
    await page.getByRole('region', { name: 'Sums' }).getByRole('link', { name: 'customer' }).click();
    await receiptOn(page).getByText('this user was not erased').waitFor();
    await page.context().close();
    const other = await signedIn('reader', 'usage', ['runs:read', 'data:tenant', 'usage:read']);
    await other.getByLabel('Group by').selectOption('user');
    await other.getByRole('region', { name: 'Sums' }).getByText('customer').waitFor();
    expect(await other.getByRole('link', { name: 'customer' }).count()).toBe(0);
    await other.context().close();
  });

  it('a person without the right is told which one is missing', async () => {
    const page = await signedIn('ci', 'user-data/margaret', ['runs:read']);
    await page.getByText('admin:data').waitFor();
    expect(await page.getByRole('link', { name: 'User data' }).count()).toBe(0);
    expect(await eraseButton(page).count()).toBe(0);
    await page.context().close();
  });
});
