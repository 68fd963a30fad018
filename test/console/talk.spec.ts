import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { call, finish, reasoning, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { describeInBrowser } from '../support/browser.js';
import { done, SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';
import { TALK } from '../support/talk-wires.js';

describeInBrowser('Talk', (browser) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-console-'));
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
        if (last?.role === 'tool') return [text(`The result is in: ${said}`), finish()];
        if (said.includes('pay')) return [call(0, 'pay', '{"to":"Ana","amount":5}', 'call_pay'), finish('tool-calls')];
        if (said.includes('look')) return [call(0, 'look', '{}', 'call_look'), finish('tool-calls')];
        if (said.includes('time')) return [call(0, 'browser_time', '{}', 'call_time'), finish('tool-calls')];
        if (said.includes('person'))
          return [call(0, 'ask_person', '{"question":"Tea or coffee?"}', 'call_ask'), finish('tool-calls')];
        return [reasoning('They greet me.'), text('Hello **there**.'), finish()];
      }),
    });
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    done.payments = [];
  });
  afterEach(() => {
    expect(browser.problems.splice(0)).toEqual([]);
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

  it.each(TALK)('an answer with reasoning and a tool call is shown over %s', async (wire) => {
    const page = await open(wire);
    await say(page, 'Hello');
    await log(page).getByText('Hello there.').waitFor();
    // AG-Kit shows no reasoning.
    if (wire !== 'AG-Kit') await log(page).getByText('Reasoning').waitFor();
    await say(page, 'Please look');
    await log(page).getByText('The result is in').waitFor();
    // Chat Completions tells the calls of the server in lines of the reasoning.
    if (wire !== 'OpenAI Chat Completions') {
      await log(page).locator('summary', { hasText: 'look' }).click();
      await log(page).getByText('seen').first().waitFor();
    }
    expect(await log(page).getByRole('article', { name: 'You' }).count()).toBe(2);
    await page.context().close();
  });

  it.each(TALK)('an approval with changed arguments is given over %s', async (wire) => {
    const page = await open(wire);
    await say(page, 'Please pay');
    await page.getByRole('textbox', { name: /Arguments/ }).fill('{"to":"Ana","amount":7}');
    await page.getByRole('button', { name: 'Approve with changes' }).click();
    await log(page).getByText('paid 7 to Ana').last().waitFor();
    expect(done.payments).toEqual([{ to: 'Ana', amount: 7 }]);
    await page.context().close();
  });

  it.each(TALK.filter((wire) => wire !== 'Runs API'))('the page answers its own tools over %s', async (wire) => {
    const page = await open(wire);
    await say(page, 'What time is it?');
    await log(page).getByText('The result is in').waitFor();
    await say(page, 'Ask the person');
    await page.getByRole('textbox', { name: 'Result' }).fill('Tea');
    await page.getByRole('button', { name: 'Return the result' }).click();
    await log(page).getByText('Tea').last().waitFor();
    await page.context().close();
  });

  it('the frames of the same run are shown as other wires write them', async () => {
    const page = await browser.page(`${server.url}/console/`, { viewport: { width: 1400, height: 900 } });
    expect(await page.getByRole('region', { name: 'Frames of the same run' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Frames' }).click();
    await say(page, 'Hello');
    await page.getByRole('region', { name: 'Frames of AG-UI, in order' }).getByText('RUN_FINISHED').waitFor();
    await page.getByRole('region', { name: 'Frames of OpenAI Responses, in order' }).getByText('[DONE]').waitFor();
    await page.context().close();
  });
});
