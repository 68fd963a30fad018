import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { AuditSealer } from '../../src/audit/index.js';
import { Database } from '../../src/database/index.js';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { apiKey } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';

describeInBrowser('the audit trail in the console', (browser) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ env: { AUTH: 'keys' } });
  }, 60_000);
  afterAll(() => server.close());

  async function signedIn(key: string): Promise<Page> {
    const page = await browser.page(`${server.url}/console/#/audit`);
    await page.getByLabel('API key or token').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
    return page;
  }

  it('acts are filtered, their details shown, the chain verified and exported', async () => {
    const key = await apiKey(server, { account: 'auditor', scopes: ['audit:read'] });
    await apiKey(server, { account: 'nightly' });
    await server.get(AuditSealer).seal();
    const page = await signedIn(key);
    const acts = page.getByRole('region', { name: 'Acts' });
    await acts.getByText('key.created').first().waitFor();
    await page.getByRole('search').getByRole('combobox').selectOption('key.revoked');
    await page.getByText('No act fits these filters.').waitFor();
    await page.getByRole('search').getByRole('combobox').selectOption('key.created');
    await acts
      .getByRole('button', { name: /^Details of key.created/ })
      .first()
      .click();
    await page.getByRole('region', { name: 'Line' }).getByText('"account": "nightly"').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const verify = page.getByRole('button', { name: 'Verify' });
    await verify.click();
    await page.getByText('The chain is whole').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await (await download).path();
    expect(readFileSync(file, 'utf8')).toContain('parley-audit/1');
    // What the browser has seen is cut off, with all that the database notes of it.
    await server.get(Database).write((tx) => tx.run(`UPDATE audit_chains SET seq = 1 WHERE tenant_id = 'default'`));
    await verify.click();
    await page.getByRole('alert').getByText('The chain is broken').waitFor();
    await page.context().close();
  });

  it('a person without the right is told which one is missing', async () => {
    const page = await signedIn(await apiKey(server, { account: 'ci' }));
    await page.getByText('audit:read').waitFor();
    await page.context().close();
  });
});
