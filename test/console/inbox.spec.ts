import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { apiKey, bearer } from '../support/keys.js';
import { done, SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';

const PHONE = { width: 380, height: 760 };
const ALL = ['runs:write', 'runs:read', 'approvals:decide'];

describeInBrowser('the inbox', (browser) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-inbox-'));
  let server: TestServer;
  /** Of each test its own. */
  let user: string;

  beforeAll(async () => {
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, JSON.stringify({ rules: [{ tool: 'pay', effect: 'ask', allowEdit: true }] }));
    server = await startServer({
      env: { AUTH: 'keys', TOOL_POLICY_FILE: policy },
      providers: [SampleTools],
      model: new ScriptedModelClient(({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return [text(`The result is in: ${JSON.stringify(last.content)}`), finish()];
        return [call(0, 'pay', '{"to":"Ana","amount":5}', `call_${randomUUID()}`), finish('tool-calls')];
      }),
    });
  });
  beforeEach(() => {
    done.payments = [];
    user = `user-${randomUUID().slice(0, 8)}`;
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    // A page without a credential, and answers that the test refuses on purpose.
    expect(browser.problems.splice(0).filter((one) => !one.startsWith('Failed to load resource'))).toEqual([]);
  });

  const keyOf = (scopes: string[]): Promise<string> => apiKey(server, { account: `a-${randomUUID()}`, user, scopes });

  /** Starts a run that asks for an approval. Returns the id of the session. */
  async function asked(message = 'Please pay Ana'): Promise<string> {
    const session = randomUUID();
    const input = [{ role: 'user', content: [{ type: 'text', text: message }] }];
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { ...bearer(await keyOf(ALL)), 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session, stream: false, input }),
    });
    expect(answer.status).toBe(200);
    return session;
  }

  async function open(place: string, scopes = ALL): Promise<Page> {
    const page = await browser.page(`${server.url}/console/#/${place}`);
    await page.getByLabel('API key or token').fill(await keyOf(scopes));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    return page;
  }

  const card = (page: Page): Locator => page.getByRole('article', { name: 'Approval of pay' });

  it('shows whose run asks, for which request, and how many wait, on a page and in the navigation', async () => {
    await asked('Please pay Ana for the flowers');
    const page = await open('inbox');
    await card(page).getByRole('link', { name: 'Please pay Ana for the flowers' }).waitFor();
    await card(page).getByText('worker', { exact: true }).waitFor();
    await card(page).getByText(user, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Inbox 1 waiting' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await card(page).getByRole('button', { name: 'Deny' }).click();
    await card(page).getByText('Denied').waitFor();
    await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
    await page.context().close();
  });

  it('each part has an address and reads what the server has', async () => {
    await asked();
    const page = await open('inbox');
    await card(page).getByRole('button', { name: 'Approve' }).click();
    await card(page).getByText('Approved').waitFor();
    for (const [part, none] of [
      ['Waiting', 'Nothing waits'],
      ['Decided', ''],
      ['Not answered', 'Nothing was left without an answer'],
      ['Not answered in time', 'Everything was answered in time'],
      ['All', ''],
    ] as const) {
      await page.getByRole('navigation', { name: 'Which' }).getByRole('link', { name: part, exact: true }).click();
      await page.reload();
      await (none === '' ? card(page).getByText('Approved') : page.getByText(none)).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    await page.context().close();
  });

  it('a refused answer says why until another one is taken, and what was changed stays to be read', async () => {
    await asked();
    const page = await open('inbox');
    const args = card(page).getByRole('textbox', { name: /Arguments/ });
    await args.fill('{"to":"Ana","amount":"many"}');
    await card(page).getByRole('button', { name: 'Approve with changes' }).click();
    await card(page).getByRole('alert').waitFor();
    expect(await args.inputValue()).toContain('many');
    await args.fill('{"to":"Ana","amount":7}');
    await card(page).getByRole('button', { name: 'Approve with changes' }).click();
    await card(page).getByText('Approved with changes').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await card(page).getByText(`by ${user}`).waitFor();
    const change = card(page).getByRole('row', { name: /amount/ });
    expect(await change.getByRole('cell').allInnerTexts()).toEqual(['5', '7']);
    expect(done.payments).toEqual([{ to: 'Ana', amount: 7 }]);
    await card(page)
      .getByRole('link', { name: /^asked/ })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Approval of pay' }).waitFor();
    await page.reload();
    await card(page).getByRole('cell', { name: '7', exact: true }).waitFor();
    expect(await page.title()).toBe('Approval of pay · Parley');
    await page.context().close();
  });

  it('what is decided elsewhere stays on the page', async () => {
    await asked();
    const [first, second] = [await open('inbox'), await open('inbox')];
    await card(second).getByRole('button', { name: 'Deny' }).waitFor();
    await card(first).getByRole('button', { name: 'Approve' }).click();
    await card(second).getByText('Approved').waitFor();
    await first.context().close();
    await second.context().close();
  });

  it('a key that may not decide sees why, here and in Talk', async () => {
    const session = await asked();
    const page = await open('inbox', ['runs:read']);
    expect(await card(page).getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    expect(await card(page).getByRole('button', { name: 'Deny' }).isDisabled()).toBe(true);
    await card(page).getByText('You cannot answer this: The scope approvals:decide is required.').waitFor();
    await page.goto(`${server.url}/console/#/talk?session=${session}`);
    await page.getByText('You cannot answer this: The scope approvals:decide is required.').waitFor();
    await page.getByText('Your credential may not do this: it lacks the scope runs:write.').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await page.context().close();
  });

  it.each(['Agent API', 'OpenAI Responses', 'AG-UI', 'AI SDK', 'Runs API', 'A2A'])(
    'a key that may decide and not write decides in Talk, over %s too',
    async (wire) => {
      const session = await asked();
      const page = await open('inbox', ['runs:read', 'approvals:decide']);
      await page.goto(`${server.url}/console/#/talk?session=${session}`);
      await page.getByRole('combobox', { name: 'Wire' }).selectOption({ label: wire });
      await page.getByRole('button', { name: 'Approve' }).click();
      const log = page.getByRole('log', { name: 'Messages' });
      await log.getByText('The result is in').waitFor();
      await log.locator('.decision-entry summary').getByText('Approved', { exact: true }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(done.payments).toEqual([{ to: 'Ana', amount: 5 }]);
      await page.context().close();
    },
  );

  it('whoever may read the session of somebody else, and not act for them, is told so in Talk', async () => {
    const session = await asked();
    const owner = user;
    user = `user-${randomUUID().slice(0, 8)}`;
    const page = await open('inbox', [...ALL, 'data:tenant']);
    await page.goto(`${server.url}/console/#/talk?session=${session}`);
    await page.getByText(`You cannot write here: It belongs to ${owner},`).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('log', { name: 'Messages' }).getByText('The result is in').waitFor();
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)(
    'axe finds nothing serious in decided cards, in %s, also on a phone',
    async (colorScheme) => {
      await asked();
      const page = await open('inbox');
      await page.emulateMedia({ colorScheme });
      await card(page)
        .getByRole('textbox', { name: /Arguments/ })
        .fill('{"to":"Bo","amount":7}');
      await card(page).getByRole('button', { name: 'Approve with changes' }).click();
      await card(page).getByText('Approved with changes').waitFor();
      expect(await seriousFindings(page)).toEqual([]);
      await page.setViewportSize(PHONE);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
      await page.context().close();
    },
  );
});
