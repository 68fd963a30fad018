import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { OpenIdProvider, signInAtProvider } from '../support/openid-provider.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** The access tokens of the provider are valid for so long. */
const VALID_MS = 600_000;

/** What a tab keeps. */
interface Kept {
  readonly token: string;
  readonly grant?: { readonly refreshToken: string; readonly tokenEndpoint: string };
}

describeInBrowser('the renewal of a sign-in to the console', (browser) => {
  let provider: OpenIdProvider;
  let server: TestServer;
  /** Requests for tokens by all pages of the test. */
  let redeemed: URLSearchParams[];

  beforeAll(async () => {
    provider = await OpenIdProvider.start();
    const client = { clientId: 'console', scopes: ['openid', 'offline_access', 'runs:read', 'runs:write'] };
    const issuer = {
      alias: 'staff',
      issuer: provider.issuer,
      audience: ['parley'],
      tenant: { fixed: 'default' },
      console: { ...client, prompt: 'consent' },
    };
    server = await startServer({ env: { AUTH: 'oidc', OIDC_ISSUERS: JSON.stringify([issuer]) } });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await provider.close();
  });

  async function signedIn(user: string): Promise<Page> {
    redeemed = [];
    const page = await browser.page(`${server.url}/console/#/access`);
    page.context().on('request', (request) => {
      if (request.method() === 'POST' && request.url() === `${provider.issuer}/token`)
        redeemed.push(new URLSearchParams(request.postData() ?? ''));
    });
    await signIn(page, user);
    return page;
  }

  async function signIn(page: Page, user: string): Promise<void> {
    await page.getByRole('button', { name: 'Sign in with staff' }).click();
    await signInAtProvider(page, user);
    await page.getByRole('region', { name: 'You' }).getByText(user, { exact: true }).waitFor();
  }

  const kept = (page: Page): Promise<Kept> =>
    page.evaluate<Kept>(`JSON.parse(sessionStorage.getItem('parley.credentials') ?? '{}')`);

  const keep = (page: Page, credential: Kept): Promise<void> =>
    page.evaluate(`sessionStorage.setItem('parley.credentials', ${JSON.stringify(JSON.stringify(credential))})`);

  /** How often refresh tokens were redeemed. */
  const renewals = (): number => redeemed.filter((form) => form.get('grant_type') === 'refresh_token').length;

  const openRuns = async (page: Page): Promise<void> => {
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText('There are no runs yet.').waitFor();
  };

  /** Opens a tab from a page, with a copy of its credential. */
  async function copyOf(page: Page): Promise<Page> {
    const opened = page.context().waitForEvent('page');
    await page.evaluate('void window.open(window.location.href)');
    const copy = await opened;
    await copy.getByRole('region', { name: 'You' }).waitFor();
    return copy;
  }

  it('a token that is about to expire is renewed before the next request, and the page stays as it is', async () => {
    const page = await signedIn('amina');
    const startOfNextSecond = Math.floor(Date.now() / 1000 + 1) * 1000;
    const first = await kept(page);
    const expires = page.getByRole('region', { name: 'You' }).getByText('Expires').locator('xpath=following::dd[1]');
    const shown = await expires.innerText();
    // Tokens carry their times in whole seconds: those of one second would be shown alike.
    await until(() => Date.now() >= startOfNextSecond, 'the second of the sign-in is over');
    await page.clock.setFixedTime(Date.now() + VALID_MS - 1000);
    await openRuns(page);
    const second = await kept(page);
    expect(second.token).not.toBe(first.token);
    expect(second.grant?.refreshToken).not.toBe(first.grant?.refreshToken);
    expect(renewals()).toBe(1);
    await page.getByRole('link', { name: 'Access' }).click();
    await until(async () => (await expires.innerText()) !== shown, 'the new time is shown');
    await page.reload();
    await page.getByRole('region', { name: 'You' }).getByText('amina', { exact: true }).waitFor();
    expect(renewals()).toBe(1);
    await page.context().close();
  });

  it('tabs with a copy of the credential renew it once for all of them', async () => {
    const page = await signedIn('jonas');
    const copy = await copyOf(page);
    const first = await kept(page);
    expect(await kept(copy)).toEqual(first);
    await page.context().clock.setFixedTime(Date.now() + VALID_MS);
    await Promise.all([openRuns(page), openRuns(copy)]);
    expect(renewals()).toBe(1);
    const second = await kept(page);
    expect(second.token).not.toBe(first.token);
    expect((await kept(copy)).token).toBe(second.token);

    // A tab that was asleep has missed the renewal. The provider would end the sign-in for a token that comes twice.
    await keep(copy, first);
    await copy.getByRole('link', { name: 'Sessions' }).click();
    await until(async () => (await kept(copy)).token === second.token, 'the tab has heard of the renewal');
    expect(renewals()).toBe(1);
    await page.context().close();
  });

  it('a token that the server refuses is renewed, and the request is repeated', async () => {
    const page = await signedIn('maria');
    await keep(page, { ...(await kept(page)), token: 'refused' });
    await openRuns(page);
    expect(renewals()).toBe(1);
    expect((await kept(page)).token).not.toBe('refused');
    await page.context().close();
  });

  it('a person whose renewal the provider refuses signs in again, and comes back to the same place', async () => {
    const page = await signedIn('oskar');
    const { grant, ...rest } = await kept(page);
    if (!grant) throw new Error('The provider gave no refresh token');
    await keep(page, { ...rest, token: 'refused', grant: { ...grant, refreshToken: 'unknown' } });
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText('does not accept this credential').waitFor();
    expect(renewals()).toBe(1);
    await page.getByRole('button', { name: 'Sign in with staff' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('There are no runs yet.').waitFor();
    expect(page.url()).toBe(`${server.url}/console/#/runs`);
    await page.context().close();
  });

  it('signing out revokes the refresh token', async () => {
    const page = await signedIn('vera');
    const { grant } = await kept(page);
    const revoked = page.waitForResponse(`${provider.issuer}/token/revocation`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect((await revoked).status()).toBe(200);
    const form = { grant_type: 'refresh_token', client_id: 'console', refresh_token: grant?.refreshToken ?? '' };
    const answer = await fetch(grant?.tokenEndpoint ?? '', { method: 'POST', body: new URLSearchParams(form) });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    await page.context().close();
  });

  it('a person whose renewed token the server refuses too comes to the sign-in, and a key ends the old one', async () => {
    const page = await signedIn('nils');
    const { grant } = await kept(page);
    await page.route(/\/(whoami|api\/v1\/runs)\b/, (route) => route.fulfill({ status: 401, json: {} }));
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText('does not accept this credential').waitFor();
    expect(renewals()).toBe(1);
    const { grant: renewed } = await kept(page);
    expect(renewed?.refreshToken).not.toBe(grant?.refreshToken);
    const revoked = page.waitForRequest(`${provider.issuer}/token/revocation`);
    await page.getByLabel('API key or token').fill('a-key');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(new URLSearchParams((await revoked).postData() ?? '').get('token')).toBe(renewed?.refreshToken);
    await page.context().close();
  });

  it('signing out during a renewal revokes the refresh token that the renewal brings', async () => {
    const page = await signedIn('petra');
    const revoked: (string | null)[] = [];
    page.on('request', (request) => {
      if (request.url() === `${provider.issuer}/token/revocation`)
        revoked.push(new URLSearchParams(request.postData() ?? '').get('token'));
    });
    let release = (): void => undefined;
    const isSignedOut = new Promise<void>((resolve) => (release = resolve));
    let brought: string | undefined;
    await page.route(`${provider.issuer}/token`, async (route) => {
      const response = await route.fetch();
      brought = ((await response.json()) as { refresh_token: string }).refresh_token;
      await isSignedOut;
      await route.fulfill({ response });
    });
    await page.clock.setFixedTime(Date.now() + VALID_MS);
    await page.getByRole('link', { name: 'Runs' }).click();
    await until(() => brought !== undefined, 'the provider has answered');
    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await until(() => revoked.length === 1, 'the old refresh token is revoked');
    release();
    await until(() => revoked.includes(brought ?? ''), 'the new refresh token is revoked');
    await page.context().close();
  });

  it('a provider that does not answer holds up no request whose token is valid, and others for ten seconds', async () => {
    const page = await signedIn('rosa');
    await page.route(`${provider.issuer}/token`, () => undefined);
    const since = Date.now();
    await page.clock.setFixedTime(since + VALID_MS - 20_000);
    const renewal = page.waitForEvent('requestfailed', (request) => request.url() === `${provider.issuer}/token`);
    let isRenewing = true;
    void renewal.then(() => (isRenewing = false));
    await openRuns(page);
    expect(isRenewing).toBe(true);
    await page.clock.setFixedTime(since + VALID_MS);
    const answered = page.waitForResponse(/\/api\/v1\/sessions/);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await Promise.all([renewal, answered]);
    const next = page.waitForResponse(/\/api\/v1\/attachments/);
    await page.getByRole('link', { name: 'Attachments' }).click();
    await next;
    expect(renewals()).toBe(1);
    await page.context().close();
  });
});
