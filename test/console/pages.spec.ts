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
    await inbox.getByRole('article', { name: 'Approval of pay' }).getByText('Approved').waitFor();
    await talk.getByRole('log', { name: 'Messages' }).getByText('The result is in').waitFor();
    expect(done.payments).toEqual([{ to: 'Ana', amount: 5 }]);
    await talk.context().close();
    await inbox.context().close();
  });

  it('a turn is one row with its approval inside, and leads from the request to the continuation', async () => {
    const { id } = await run('Please pay');
    const page = await browser.page(at('runs'));
    const list = page.getByRole('region', { name: 'Runs, newest first' });
    const row = list.getByRole('listitem').filter({ hasText: 'Please pay' }).first();
    await row.getByText('Waits for approval').waitFor();
    await row.getByText('Approval of pay').waitFor();
    const asked = await fetch(`${server.url}/api/v1/runs/${id}`);
    const { interrupts } = (await asked.json()) as { interrupts: { id: string }[] };
    await fetch(`${server.url}/interrupts/${interrupts[0]?.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ approve: false, reason: 'Too much' }),
    });
    await row.getByText('Approval of pay: denied').waitFor();
    await row.getByText('Waits for approval').waitFor({ state: 'detached' });
    await row.getByRole('link', { name: 'Please pay' }).click();
    const turn = page.getByRole('navigation', { name: 'Runs of this turn' });
    await page.locator('header').getByText('Continued').waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('button', { name: 'approval pay Denied' }).click();
    await timeline.getByText('Too much').waitFor();
    await turn.getByRole('link', { name: 'Approval of pay: denied' }).click();
    await timeline.getByRole('button', { name: 'tool pay Denied' }).waitFor();
    expect(await page.title()).toBe('Run: Please pay · Parley');
    await page.context().close();
  });

  it('a bar of the timeline opens its step, which is part of the address', async () => {
    const { id } = await run('please look');
    const page = await browser.page(at(`runs/${id}`));
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('button', { name: 'model call 1' }).click();
    await timeline.getByRole('region', { name: 'Request of model call 1' }).getByText('please look').waitFor();
    await timeline.getByText('Calls look').waitFor();
    await timeline.getByRole('button', { name: 'tool look' }).focus();
    await page.keyboard.press('Enter');
    await timeline.getByRole('region', { name: 'Result of look' }).getByText('seen').waitFor();
    expect(await timeline.getByRole('region', { name: 'Request of model call 1' }).count()).toBe(0);
    await page.reload();
    await timeline.getByRole('region', { name: 'Result of look' }).getByText('seen').waitFor();
    await page.getByRole('tab', { name: 'Response' }).click();
    const response = page.getByRole('region', { name: 'Response' });
    await response.getByText('The result is in').first().waitFor();
    await page.getByRole('button', { name: 'Fold Response', exact: true }).click();
    await response.getByText('The result is in').first().waitFor({ state: 'detached' });
    await page.reload();
    await response.getByText('The result is in').first().waitFor();
    await page.context().close();
  });

  it('unknown addresses say so, and addresses below /console/ are those of pages', async () => {
    const page = await browser.page(`${server.url}/console/nowhere`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.title()).toBe('Page not found · Parley');
    await page.getByRole('list', { name: 'All pages' }).getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    expect(await page.title()).toBe('Runs · Parley');
    await page.goto(`${server.url}/console/runs/none`);
    await page.getByRole('heading', { name: 'Run not found' }).waitFor();
    expect(browser.problems.splice(0).every((problem) => problem.includes('404'))).toBe(true);
    await page.context().close();
  });

  it('the navigation shows every page on a phone', async () => {
    const page = await browser.page(at('runs'), { viewport: PHONE });
    for (const link of await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all()) {
      const box = await link.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= PHONE.width).toBe(true);
    }
    const more = page.getByRole('button', { name: 'Filters' });
    expect(await page.getByRole('combobox', { name: 'Status' }).isVisible()).toBe(false);
    await more.click();
    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Failed' });
    await page.getByText('No run matches these filters.').waitFor();
    await page.context().close();
  });

  it('a session shows its messages and its state', async () => {
    const { session } = await run('remember me');
    const page = await browser.page(at('sessions'));
    await page.getByRole('region', { name: 'Sessions, the last changed first' }).getByText('remember me').click();
    await page.getByRole('heading', { name: 'remember me' }).waitFor();
    await page.getByRole('region', { name: 'Messages, oldest first' }).getByText('Hello there.').waitFor();
    await page.getByRole('link', { name: 'State' }).click();
    await page.getByRole('region', { name: 'State', exact: true }).waitFor();
    expect(page.url()).toContain(`/sessions/${session}/state`);
    await page.context().close();
  });

  it('a tool shows its schema, and what the policy decides about given arguments', async () => {
    const page = await browser.page(at('tools'));
    const tool = page.getByRole('listitem').filter({ hasText: 'Pays' });
    await tool.getByText('Arguments, and what the policy says').click();
    const args = tool.getByRole('region', { name: 'Arguments of pay' });
    const required = args.getByText('required', { exact: true });
    await required.nth(1).waitFor();
    expect(await required.count()).toBe(2);
    await tool.getByLabel('to', { exact: true }).fill('Ana');
    await tool.getByLabel('amount', { exact: true }).fill('5');
    await tool.getByRole('button', { name: 'Ask the policy' }).click();
    const decision = tool.getByRole('status');
    await decision.getByText('Needs approval', { exact: true }).waitFor();
    await decision.getByText('whoever may decide approvals').waitFor();
    await decision.getByText('The run waits until somebody approves the call.').waitFor();
    expect(await page.title()).toBe('Tool: pay · Parley');
    await page.reload();
    await page.getByRole('region', { name: 'Arguments of pay' }).waitFor();
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
        `runs/${id}?step=model:0`,
        `runs/${id}?tab=request`,
        'runs/none',
        'nowhere',
        'agents',
        'models',
        'tools/pay',
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
        const narrow = await seriousFindings(page);
        if (width > PHONE.width) narrow.push(`is ${width} pixels wide`);
        if (narrow.length > 0) findings[`${place} on a phone`] = narrow;
        await page.setViewportSize({ width: 1280, height: 800 });
      }
      expect(findings).toEqual({});
      // A run that does not exist is one of the pages.
      browser.problems.splice(0, browser.problems.length, ...browser.problems.filter((one) => !one.includes('404')));
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
