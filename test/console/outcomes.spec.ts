import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { describeInBrowser } from '../support/browser.js';
import { SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';

/** Those that show the calls of the server. */
const WIRES = ['Agent API', 'OpenAI Responses', 'AI SDK', 'AG-UI', 'CopilotKit', 'AG-Kit', 'Runs API', 'A2A'];
const RULES = [
  { tool: 'look', effect: 'deny', reason: 'Not today.' },
  { tool: 'pay', effect: 'ask' },
];

/** The words for outcomes are the same on each wire, and in the timeline. */
describeInBrowser('how calls and runs end', (browser) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-outcomes-'));
  let server: TestServer;
  let proceed: () => void = () => undefined;

  beforeAll(async () => {
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, JSON.stringify({ rules: RULES }));
    const gate = (): Promise<void> => new Promise((resolve) => (proceed = resolve));
    server = await startServer({
      env: { TOOL_POLICY_FILE: policy },
      providers: [SampleTools],
      model: new ScriptedModelClient(({ messages }) => {
        const last = messages.at(-1);
        const said = JSON.stringify(last?.content);
        if (last?.role === 'tool') return [text('So it is.'), finish()];
        if (said.includes('look')) return [call(0, 'look', '{}', 'call_look'), finish('tool-calls')];
        if (said.includes('nothing')) return [call(0, 'pay', '{}', 'call_none'), finish('tool-calls')];
        if (said.includes('pay')) return [call(0, 'pay', '{"to":"Ana","amount":5}', 'call_pay'), finish('tool-calls')];
        return [text('The first words'), { type: 'do', action: gate }, text(' and the last.'), finish()];
      }),
    });
  });
  afterAll(async () => {
    proceed();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    proceed();
    expect(browser.problems.splice(0)).toEqual([]);
  });

  const log = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });

  async function say(wire: string, message: string): Promise<Page> {
    const page = await browser.page(`${server.url}/console/`);
    await page.getByRole('combobox', { name: 'Wire' }).selectOption({ label: wire });
    await page.getByLabel('Message', { exact: true }).fill(message);
    await page.getByRole('button', { name: 'Send' }).click();
    return page;
  }

  /** The word in the summary of a call. */
  const outcome = (page: Page, tool: string, word: string): Promise<void> =>
    log(page).locator('summary', { hasText: tool }).getByText(word, { exact: true }).first().waitFor();

  it.each(WIRES)('denied, refused and invalid calls, and a stopped run, say so over %s', async (wire) => {
    const refused = await say(wire, 'Please look');
    await outcome(refused, 'look', 'Refused by policy');
    await refused.context().close();

    const invalid = await say(wire, 'Please pay nothing');
    await outcome(invalid, 'pay', 'Invalid call');
    await invalid.context().close();

    const denied = await say(wire, 'Please pay');
    await denied.getByRole('button', { name: 'Deny' }).click();
    await log(denied).getByText('So it is.').waitFor();
    // Responses has no item of a call that was not made.
    if (wire !== 'OpenAI Responses') await outcome(denied, 'pay', 'Denied');
    await denied.context().close();

    const stopped = await say(wire, 'Tell me something');
    await log(stopped).getByText('The first words').waitFor();
    await stopped.getByRole('button', { name: 'Stop' }).click();
    await log(stopped).getByText('Stopped.', { exact: true }).waitFor();
    await stopped.context().close();
  });
});
