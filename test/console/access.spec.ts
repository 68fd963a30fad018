import type { Page } from 'playwright-core';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { apiKey, bearer } from '../support/keys.js';
import { OpenIdProvider, signInAtProvider } from '../support/openid-provider.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const ADMIN = ['runs:read', 'runs:write', 'admin:keys', 'admin:budgets', 'admin:tenants'];

describeInBrowser('access to the console', (browser) => {
  let provider: OpenIdProvider;
  let server: TestServer;
  /** An administrator of the test's own: requests for administration are limited for each account. */
  const newAdmin = (account: string): Promise<string> => apiKey(server, { account, scopes: ADMIN });

  beforeAll(async () => {
    provider = await OpenIdProvider.start();
    const issuer = {
      alias: 'staff',
      issuer: provider.issuer,
      audience: ['parley'],
      tenant: { fixed: 'default' },
      types: ['at+jwt'],
      console: { clientId: 'console', scopes: ['openid', 'runs:read', 'runs:write'] },
    };
    server = await startServer({ env: { AUTH: 'keys,oidc', OIDC_ISSUERS: JSON.stringify([issuer]) } });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await provider.close();
  });
  beforeEach(() => {
    browser.problems.splice(0);
  });

  /** What went wrong in pages, without 401 for a missing credential and what the page of the provider cannot load. */
  const problems = (): string[] => browser.problems.filter((one) => !one.startsWith('Failed to load resource'));

  /** A page on which a key was entered. */
  async function signedIn(key: string, place = 'access'): Promise<Page> {
    const page = await browser.page(`${server.url}/console/#/${place}`);
    await page.getByLabel('API key or token').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
    return page;
  }

  const whoami = async (key: string): Promise<number> =>
    (await fetch(`${server.url}/whoami`, { headers: bearer(key) })).status;

  it('a wrong key is refused, and a right one signs in until the person signs out', async () => {
    const page = await browser.page(`${server.url}/console/#/access`);
    await page.getByLabel('API key or token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('does not accept this credential').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel('API key or token').fill(await newAdmin('admin'));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('region', { name: 'You' }).getByText('key admin').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key or token').waitFor();
    expect(problems()).toEqual([]);
    await page.context().close();
  });

  it('a person signs in with an OpenID provider, comes back to the same place, and talks', async () => {
    const page = await browser.page(`${server.url}/console/#/access`);
    await page.getByRole('button', { name: 'Sign in with staff' }).click();
    await signInAtProvider(page, 'alice');
    await page.getByRole('region', { name: 'You' }).getByText('alice', { exact: true }).waitFor();
    expect(page.url()).toBe(`${server.url}/console/#/access`);
    await page.getByRole('link', { name: 'Talk' }).click();
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('log', { name: 'Messages' }).getByText('Hello!').waitFor();
    expect(problems()).toEqual([]);
    await page.context().close();
  });

  it('an answer of a provider that this page has not asked for signs nobody in', async () => {
    const page = await browser.page(`${server.url}/console/?code=stolen&state=other#/access`);
    await page.getByLabel('API key or token').waitFor();
    expect(problems()).toEqual([]);
    await page.context().close();
  });

  it('the page may ask the provider for tokens, and no other origin', async () => {
    const { headers } = await fetch(`${server.url}/console/`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`connect-src 'self' ${new URL(provider.issuer).origin};`);
    expect(policy).toContain("script-src 'self';");
  });

  it('keys are created, rotated and revoked', async () => {
    const page = await signedIn(await newAdmin('keys'));
    const keys = page.getByRole('region', { name: 'API keys', exact: true });
    await keys.getByText('Create a key').click();
    const form = keys.getByRole('form', { name: 'New key' });
    await form.getByLabel('Account').fill('nightly');
    await form.getByLabel('Name').fill('Nightly reports');
    await form.getByRole('checkbox', { name: 'runs:write' }).uncheck();
    await form.getByLabel('Expires').selectOption('7d');
    await form.getByRole('button', { name: 'Create' }).click();
    const secret = async (): Promise<string> => keys.getByRole('status').locator('code').innerText();
    const first = await secret();
    expect(await whoami(first)).toBe(200);
    const row = keys.getByRole('row').filter({ hasText: 'Nightly reports' });
    await row.getByRole('cell', { name: 'runs:read', exact: true }).waitFor();
    await row.getByRole('button', { name: /^Rotate/ }).click();
    await keys.getByRole('row').filter({ hasText: 'rotated' }).waitFor();
    const second = await secret();
    expect(second).not.toBe(first);
    expect(await whoami(second)).toBe(200);
    const current = row.filter({ hasText: 'active' });
    await current.getByRole('button', { name: /^Revoke/ }).click();
    await current.getByRole('button', { name: 'Yes, revoke' }).click();
    await row.filter({ hasText: 'revoked' }).waitFor();
    expect(await whoami(second)).toBe(401);
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems()).toEqual([]);
    await page.context().close();
  });

  it('a key gets only scopes of the person who creates it', async () => {
    const page = await signedIn(
      await apiKey(server, { account: 'granter', user: 'granter', scopes: ['admin:keys', 'runs:read'] }),
    );
    const keys = page.getByRole('region', { name: 'API keys', exact: true });
    await keys.getByText('Create a key').click();
    const form = keys.getByRole('form', { name: 'New key' });
    await form.getByLabel('Account').fill('granted');
    await form.getByRole('button', { name: 'Create' }).click();
    await keys.getByRole('status').locator('code').waitFor();
    const row = keys.getByRole('row').filter({ hasText: 'granted' });
    await row.getByRole('cell', { name: 'runs:read', exact: true }).waitFor();
    expect(await form.getByLabel('Account').inputValue()).toBe('');
    await page.context().close();
  });

  it('a person whose credential is no longer accepted is asked to sign in again', async () => {
    const secret = await apiKey(server, { account: 'former', scopes: ['runs:read'] });
    const page = await signedIn(secret);
    const remover = await newAdmin('remover');
    const { actor } = (await (await fetch(`${server.url}/whoami`, { headers: bearer(secret) })).json()) as {
      actor: { id: string };
    };
    const revoked = await fetch(`${server.url}/admin/keys/${actor.id}/revoke`, {
      method: 'POST',
      headers: { ...bearer(remover), 'content-type': 'application/json' },
      body: '{}',
    });
    expect(revoked.ok).toBe(true);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('does not accept this credential').waitFor();
    await page.getByLabel('API key or token').waitFor();
    await page.context().close();
  });

  it('limits are changed one by one, and an empty field has the default', async () => {
    const admin = await newAdmin('limits');
    const page = await signedIn(admin);
    const form = page.getByRole('form', { name: 'Limits' });
    const field = form.getByRole('group', { name: 'Each user' }).getByLabel('Runs waiting or running');
    expect(await field.getAttribute('placeholder')).toBe('20');
    await field.fill('7');
    await form.getByRole('group', { name: 'Each user' }).getByLabel('Requests, per minute').fill('400');
    const limits = async (): Promise<unknown> =>
      ((await (await fetch(`${server.url}/admin/limits`, { headers: bearer(admin) })).json()) as { overrides: unknown })
        .overrides;
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await form.getByRole('button', { name: 'Save the limits' }).click();
    expect((await saved).status()).toBe(200);
    expect(await limits()).toEqual({ user: { activeRuns: 7, requests: { perMinute: 400, burst: 100 } } });
    await page.context().close();
  });

  it('tenants are created, suspended and resumed', async () => {
    const page = await signedIn(await newAdmin('tenants'));
    const tenants = page.getByRole('region', { name: 'Tenants', exact: true });
    await tenants.getByLabel('Id').fill('acme');
    await tenants.getByLabel('Name').fill('Acme Inc.');
    await tenants.getByRole('button', { name: 'Create the tenant' }).click();
    const row = tenants.getByRole('row').filter({ hasText: 'Acme Inc.' });
    await row.getByRole('button', { name: 'Suspend acme' }).click();
    await row.getByRole('button', { name: 'Yes, suspend' }).click();
    await row.getByText('suspended').waitFor();
    await row.getByRole('button', { name: 'Resume acme' }).click();
    await row.getByText('active').waitFor();
    await page.context().close();
  });

  it('for how long the data of a tenant is kept is shown, and changed', async () => {
    const page = await signedIn(await newAdmin('retention'));
    const tenants = page.getByRole('region', { name: 'Tenants', exact: true });
    await tenants.getByLabel('Id').fill('keeps');
    await tenants.getByRole('button', { name: 'Create the tenant' }).click();
    await tenants.getByRole('button', { name: 'Retention of keeps' }).click();
    const form = tenants.getByRole('form', { name: 'Retention of keeps' });
    const events = form.getByLabel('Events of finished runs');
    expect(await events.getAttribute('placeholder')).toBe('7d');
    const save = async (): Promise<void> => {
      await form.getByRole('button', { name: 'Save the retention of keeps' }).click();
      await form.getByRole('button', { name: 'Yes, save' }).click();
    };
    await events.fill('soon');
    await save();
    await form.getByRole('alert').waitFor();
    await events.fill('1d');
    await save();
    await until(async () => (await events.getAttribute('placeholder')) === '1d', 'what holds from now on');
    expect(await events.inputValue()).toBe('1d');
    await events.fill('');
    await save();
    await until(async () => (await events.getAttribute('placeholder')) === '7d', 'what holds without it');
    await page.context().close();
  });

  it('a person without rights to administer sees only who they are', async () => {
    const page = await signedIn(await apiKey(server, { account: 'reader', scopes: ['runs:read'] }));
    await page.getByRole('region', { name: 'You' }).getByText('key reader').waitFor();
    expect(await page.getByRole('region').count()).toBe(1);
    await page.context().close();
  });
});
