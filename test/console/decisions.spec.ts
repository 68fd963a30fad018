import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { describeInBrowser } from '../support/browser.js';
import { SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';
import { TALK } from '../support/talk-wires.js';

/** Wires over which a message closes what waits. Over Chat Completions it stays open, the others want an answer first. */
const FREE = ['Agent API', 'OpenAI Responses', 'AG-Kit', 'Runs API', 'A2A'] as const;

describeInBrowser('decisions in a conversation', (browser) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-decisions-'));
  let server: TestServer;

  beforeAll(async () => {
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, JSON.stringify({ rules: [{ tool: 'pay', effect: 'ask', allowEdit: true }] }));
    server = await startServer({
      env: { TOOL_POLICY_FILE: policy },
      providers: [SampleTools],
      model: new ScriptedModelClient(({ messages }) => {
        const last = messages.at(-1);
        const said = JSON.stringify(last?.content);
        const id = `call_${randomUUID()}`;
        if (last?.role === 'tool') return [text('The result is in.'), finish()];
        if (said.includes('Never mind')) return [text('Hello there.'), finish()];
        if (said.includes('pay')) return [call(0, 'pay', '{"to":"Ana","amount":5}', id), finish('tool-calls')];
        if (said.includes('person')) return [call(0, 'ask_person', '{"question":"Tea?"}', id), finish('tool-calls')];
        return [text('Hello there.'), finish()];
      }),
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    expect(browser.problems.splice(0).filter((one) => !one.includes('status of 400'))).toEqual([]);
  });

  async function open(wire: string): Promise<Page> {
    const page = await browser.page(`${server.url}/console/`);
    await page.getByRole('combobox', { name: 'Wire' }).selectOption({ label: wire });
    return page;
  }

  async function say(page: Page, message: string): Promise<void> {
    await page.getByLabel('Message', { exact: true }).fill(message);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  const log = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });
  /** The decision with a word, in one line. */
  const decision = (page: Page, word: string): Locator =>
    log(page).locator('.decision-entry summary').getByText(word, { exact: true });
  /** How the call of a tool stands. */
  const chip = (page: Page, tool: string, word: string): Promise<void> =>
    log(page).locator('.call summary', { hasText: tool }).getByText(word, { exact: true }).waitFor();

  it.each(TALK)('over %s, a decision stays, with what was changed, also after a reload', async (wire) => {
    const page = await open(wire);
    await say(page, 'Please pay');
    await page.getByRole('textbox', { name: /Arguments/ }).fill('{"to":"Ana","amount":7}');
    await page.getByRole('button', { name: 'Approve with changes' }).click();
    await log(page).getByText('The result is in.').waitFor();
    await decision(page, 'Approved with changes').waitFor();
    await page.reload();
    await log(page).getByText('The result is in.').waitFor();
    await decision(page, 'Approved with changes').click();
    const change = log(page).getByRole('row', { name: /amount/ });
    expect(await change.getByRole('cell').allInnerTexts()).toEqual(['5', '7']);
    await page.context().close();
  });

  it.each(FREE)('over %s, a message instead of a decision leaves neither waiting', async (wire) => {
    const page = await open(wire);
    await say(page, 'Please pay');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await say(page, 'Never mind');
    await log(page).getByText('Hello there.').or(log(page).getByText('The result is in.')).first().waitFor();
    await decision(page, 'Not answered').waitFor();
    await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
    expect(await log(page).getByText('Waits', { exact: true }).count()).toBe(0);
    await page.reload();
    await decision(page, 'Not answered').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await log(page).getByText('Waits', { exact: true }).count()).toBe(0);
    await page.context().close();
  });

  it('over Chat Completions, a question waits on after a message', async () => {
    const page = await open('OpenAI Chat Completions');
    await say(page, 'Please pay');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await say(page, 'Never mind');
    await log(page).getByText('Hello there.').waitFor();
    await decision(page, 'Not answered').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Deny' }).click();
    await decision(page, 'Denied').waitFor();
    await page.context().close();
  });

  it.each(['AG-UI', 'CopilotKit'])('over %s, a message is refused while a question waits', async (wire) => {
    const page = await open(wire);
    await say(page, 'Please pay');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await say(page, 'Never mind');
    await log(page).locator('.notice.error').waitFor();
    expect(await decision(page, 'Not answered').count()).toBe(0);
    await page.getByRole('button', { name: 'Approve' }).click();
    await log(page).getByText('The result is in.').waitFor();
    await page.context().close();
  });

  it.each(TALK.filter((wire) => wire !== 'Runs API'))(
    'over %s, a call whose result was returned no longer waits, also after a reload',
    async (wire) => {
      const page = await open(wire);
      await say(page, 'Ask the person');
      await page.getByRole('textbox', { name: 'Result' }).fill('Tea');
      await page.getByRole('button', { name: 'Return the result' }).click();
      await log(page).getByText('The result is in.').waitFor();
      await chip(page, 'ask_person', 'Completed');
      await page.reload();
      await log(page).getByText('The result is in.').waitFor();
      await chip(page, 'ask_person', 'Completed');
      await page.context().close();
    },
  );

  it.each(TALK)('over %s, a refused answer keeps the form, and says why until another is taken', async (wire) => {
    const page = await open(wire);
    await say(page, 'Please pay');
    const args = page.getByRole('textbox', { name: /Arguments/ });
    await args.fill('{"to":"Ana","amount":"many"}');
    await page.getByRole('button', { name: 'Approve with changes' }).click();
    await page.getByRole('alert').waitFor();
    expect(await args.inputValue()).toContain('many');
    await args.fill('{"to":"Ana","amount":7}');
    await page.getByRole('button', { name: 'Approve with changes' }).click();
    await log(page).getByText('The result is in.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await log(page).locator('.notice.error').count()).toBe(0);
    await page.context().close();
  });

  it('the end of each answer leads to its run, and the window has the title of the conversation', async () => {
    const page = await open('AG-UI');
    await say(page, 'Hello');
    await log(page)
      .getByRole('link', { name: /^worker · / })
      .click();
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    await page.goBack();
    await log(page).getByText('Hello there.').waitFor();
    expect(await page.title()).toBe('Hello · Parley');
    await page.context().close();
  });

  it('the frames are folded, and as wide as the person wants', async () => {
    const page = await open('Agent API');
    await page.getByRole('button', { name: 'Frames' }).click();
    const frames = page.getByRole('region', { name: 'Frames of the same run' });
    const before = (await frames.boundingBox())?.width ?? 0;
    const bar = page.getByRole('separator', { name: 'Width of the frames' });
    await bar.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await bar.getAttribute('aria-valuenow')).toBe('60');
    expect((await frames.boundingBox())?.width ?? 0).toBeGreaterThan(before + 50);
    await page.reload();
    await page.getByRole('button', { name: 'Frames' }).click();
    expect(await bar.getAttribute('aria-valuenow')).toBe('60');
    await page.context().close();
  });

  it.each([380, 768, 1280])(
    'the tools of the page are inside a window of %i pixels, and Escape closes them',
    async (width) => {
      const page = await browser.page(`${server.url}/console/`, { viewport: { width, height: 760 } });
      await page.locator('summary', { hasText: 'Tools' }).click();
      const menu = page.getByRole('textbox', { name: 'Your own, as JSON' });
      const box = await page.locator('.menu-body').boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= 760).toBe(true);
      await menu.focus();
      await page.keyboard.press('Escape');
      await menu.waitFor({ state: 'hidden' });
      await page.context().close();
    },
  );

  it('a session is read from its beginning or from its end', async () => {
    const session = randomUUID();
    for (const message of ['the first of all', 'the last of all']) {
      const answer = await fetch(`${server.url}/process`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          session_id: session,
          user_id: 'anonymous',
          stream: false,
          input: [{ role: 'user', content: [{ type: 'text', text: message }] }],
        }),
      });
      expect(answer.status).toBe(200);
    }
    const page = await browser.page(`${server.url}/console/#/sessions/${session}`);
    await page.getByRole('heading', { name: 'the first of all' }).waitFor();
    const messages = page.getByRole('region', { name: 'Messages, oldest first' }).getByRole('listitem');
    await messages.first().locator('.plain').getByText('the first of all').waitFor();
    await page.getByRole('link', { name: 'To the newest' }).click();
    const newest = page.getByRole('region', { name: 'Messages, up to the newest' }).getByRole('listitem');
    await newest.last().locator('.markdown').getByText('Hello there.').waitFor();
    await newest.filter({ hasText: 'the last of all' }).first().waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'To the oldest' }).waitFor();
    await page.context().close();
  });
});
