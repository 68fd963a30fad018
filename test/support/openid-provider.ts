import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';

const REDIRECT_URI = 'http://127.0.0.1/callback';
const CLIENT = `Basic ${Buffer.from('web:web-secret').toString('base64')}`;

/** The OpenID provider `oidc-provider`, in a process of its own. */
export class OpenIdProvider {
  private constructor(
    private readonly child: ChildProcess,
    /** The issuer of its tokens. */
    readonly issuer: string,
  ) {}

  static async start(): Promise<OpenIdProvider> {
    const child = spawn(process.execPath, [join(__dirname, 'openid-provider-process.mjs')], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [issuer] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new OpenIdProvider(child, issuer);
  }

  /** An access token of the client itself. */
  clientToken(scope = 'runs:read runs:write'): Promise<string> {
    return this.token({ grant_type: 'client_credentials', scope, resource: 'urn:parley' });
  }

  /** An access token of a user, by the authorization code flow with PKCE, as a browser goes through it. */
  async userToken(user: string, scope = 'openid runs:read runs:write'): Promise<string> {
    const verifier = randomBytes(32).toString('base64url');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const query = new URLSearchParams({
      client_id: 'web',
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope,
      resource: 'urn:parley',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const code = await this.authorize(`${this.issuer}/auth?${query.toString()}`, user);
    return this.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier });
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }

  private async token(form: Record<string, string>): Promise<string> {
    const headers = { authorization: CLIENT };
    const response = await fetch(`${this.issuer}/token`, { method: 'POST', headers, body: new URLSearchParams(form) });
    const body = (await response.json()) as { access_token?: string };
    if (!body.access_token) throw new Error(`The provider gives no token: ${JSON.stringify(body)}`);
    return body.access_token;
  }

  /** Signs in, consents, and follows the redirects to the one that has the code. */
  private async authorize(start: string, user: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = start;
    for (let step = 0; step < 12 && !url.startsWith(REDIRECT_URI); step += 1) {
      const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
      let response = await fetch(url, { redirect: 'manual', headers });
      if (response.status === 200) {
        const prompt = /name="prompt" value="(\w+)"/.exec(await response.text())?.[1] ?? '';
        const body = new URLSearchParams({ prompt, login: user, password: 'any' });
        response = await fetch(url, { method: 'POST', redirect: 'manual', headers, body });
      }
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      url = new URL(response.headers.get('location') ?? '', url).href;
    }
    return new URL(url).searchParams.get('code') ?? '';
  }
}

/** Signs a person in on the pages of the provider, which a page has opened, and consents. */
export async function signInAtProvider(page: Page, user: string): Promise<void> {
  await page.locator('input[name=login]').fill(user);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}
