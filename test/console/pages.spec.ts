import { randomUUID } from 'node:crypto';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { done, SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';

/** A phone. */
const PHONE = { width: 380, height: 760 };

describeInBrowser('the pages of the console', (browser) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      providers: [SampleTools],
      model: new ScriptedModelClient(({ messages }) => {
        const last = messages.at(-1);
        const said = JSON.stringify(last?.content);
        if (last?.role === 'tool') return [text(`The result is in: ${said}`), finish()];
        if (said.includes('pay')) return [call(0, 'pay', '{"to":"Ana","amount":5}', 'call_pay'), finish('tool-calls')];
        if (said.includes('look')) return [call(0, 'look', '{}', 'call_look'), finish('tool-calls')];
        return [text('Hello there.'), finish()];
      }),
    });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    done.payments = [];
  });
  afterEach(() => {
    expect(browser.problems.splice(0)).toEqual([]);
  });

  /** A run that has ended, or waits. */
  async function run(message: string, session: string = randomUUID()): Promise<{ id: string; session: string }> {
    const id = `run-${randomUUID()}`;
    const input = [{ role: 'user', content: [{ type: 'text', text: message }] }];
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user-id': 'anonymous' },
      body: JSON.stringify({ id, session_id: session, stream: false, input }),
    });
    expect(answer.status).toBe(200);
    return { id, session };
  }

  const at = (place: string): string => `${server.url}/console/#/${place}`;

  it('the list of runs is live, and has filters that a reload keeps', async () => {
    await run('first question');
    const page = await browser.page(at('runs'));
    const list = page.getByRole('region', { name: 'Runs, newest first' });
    await list.getByText('first question').waitFor();
    await run('second question');
    await list.getByText('second question').waitFor();
    await page.getByRole('searchbox', { name: 'Text' }).fill('first');
    await page.getByRole('button', { name: 'Search' }).click();
    await list.getByText('second question').waitFor({ state: 'detached' });
    await page.reload();
    await list.getByText('first question').waitFor();
    expect(await list.getByText('second question').count()).toBe(0);
    await page.context().close();
  });

  it('a run has a timeline, events with search, its steps, request and response, and a download', async () => {
    const { id } = await run('please look');
    const page = await browser.page(at(`runs/${id}`));
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('look').first().waitFor();
    expect(await timeline.getByRole('listitem').count()).toBeGreaterThan(2);
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByRole('region', { name: 'Events' }).getByText('created').first().waitFor();
    await page.getByRole('searchbox', { name: 'Text in the event' }).fill('call_look');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Events found' }).locator('summary').first().waitFor();
    for (const [tab, words] of [
      ['Steps', 'model'],
      ['Request', 'please look'],
      ['Response', 'The result is in'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('region', { name: tab }).getByText(words).first().waitFor();
    }
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download JSONL' }).click();
    expect((await download).suggestedFilename()).toBe(`${id}.jsonl`);
    await page.getByRole('link', { name: 'Open in Talk' }).click();
    await page.getByRole('log', { name: 'Messages' }).getByText('The result is in').waitFor();
    await page.context().close();
  });

  it('what is decided in the inbox of one browser lets the conversation of another go on', async () => {
    const talk = await browser.page(`${server.url}/console/`);
    await talk.getByLabel('Message', { exact: true }).fill('Please pay');
    await talk.getByRole('button', { name: 'Send' }).click();
    await talk.getByRole('button', { name: 'Approve' }).waitFor();
    const inbox = await browser.page(at('inbox'));
    await inbox.getByRole('button', { name: 'Approve' }).click();
    await inbox.getByText('Nothing is pending.').waitFor();
    await talk.getByRole('log', { name: 'Messages' }).getByText('The result is in').waitFor();
    expect(done.payments).toEqual([{ to: 'Ana', amount: 5 }]);
    await talk.context().close();
    await inbox.context().close();
  });

  it('a session shows its messages and its state', async () => {
    const { session } = await run('remember me');
    const page = await browser.page(at('sessions'));
    await page.getByRole('region', { name: 'Sessions, the last changed first' }).getByText('remember me').click();
    await page.getByRole('heading', { name: `Session ${session}` }).waitFor();
    await page.locator('summary', { hasText: 'remember me' }).waitFor();
    await page.getByRole('region', { name: 'State' }).first().waitFor();
    await page.context().close();
  });

  it('a tool shows its schema, and what the policy decides about given arguments', async () => {
    const page = await browser.page(at('tools'));
    const tool = page.getByRole('listitem').filter({ hasText: 'Pays' });
    await tool.getByText('Would this ask?').click();
    await tool.getByLabel('to', { exact: true }).fill('Ana');
    await tool.getByLabel('amount', { exact: true }).fill('5');
    await tool.getByRole('button', { name: 'Ask the policy' }).click();
    await tool.getByRole('status').getByText('ask', { exact: true }).waitFor();
    expect(done.payments).toEqual([]);
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)(
    'axe finds nothing serious on any page, in %s, also on a phone',
    async (colorScheme) => {
      const { id, session } = await run('please look');
      await run('please pay');
      const page = await browser.page(`${server.url}/console/`, { colorScheme });
      const findings: Record<string, string[]> = {};
      for (const place of [
        'talk',
        'runs',
        `runs/${id}`,
        'inbox',
        `sessions/${session}`,
        'attachments',
        'tools',
        'access',
      ]) {
        await page.goto(at(place));
        await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
        const found = await seriousFindings(page);
        if (found.length > 0) findings[place] = found;
        await page.setViewportSize(PHONE);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (width > PHONE.width) findings[`${place} on a phone`] = [`is ${width} pixels wide`];
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      expect(findings).toEqual({});
      await page.context().close();
    },
  );

  it('a conversation can be held with the keyboard alone', async () => {
    const page = await browser.page(`${server.url}/console/`);
    await page.getByLabel('Message', { exact: true }).waitFor();
    const focused = async (): Promise<string> =>
      page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    for (let presses = 0; presses < 25 && (await focused()) !== 'message'; presses += 1)
      await page.keyboard.press('Tab');
    expect(await focused()).toBe('message');
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.getByRole('log', { name: 'Messages' }).getByText('Hello there.').waitFor();
    await page.context().close();
  });
});
