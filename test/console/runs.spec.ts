import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { DEFAULT_TENANT, tenantReach } from '../../src/common/index.js';
import { Runs } from '../../src/run/index.js';
import { describeInBrowser } from '../support/browser.js';
import { addRuns, replaceLog } from '../support/large-ledger.js';
import { SampleTools } from '../support/sample-tools.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const RUNS = 100_000;
const EVENTS = 50_000;
/** How long a page of so many may take until it shows something, on a machine that does other things too. */
const SOON_MS = 10_000;

/** What the browser has of a box that scrolls. */
interface Box {
  readonly scrollHeight: number;
  scrollTo(left: number, top: number): void;
}

function scrollToEnd(list: Locator): Promise<void> {
  return list.evaluate((element) => {
    const box = element as unknown as Box;
    box.scrollTo(0, box.scrollHeight);
  });
}

describeInBrowser('runs in the console', (browser) => {
  let server: TestServer;
  let proceed: () => void = () => undefined;
  let gate: Promise<void>;

  beforeAll(async () => {
    const hold = { type: 'do', action: () => gate } as const;
    server = await startServer({
      providers: [SampleTools],
      model: new ScriptedModelClient(({ messages }) => {
        const last = messages.at(-1);
        const said = JSON.stringify(last?.content);
        if (last?.role === 'tool') return [hold, text('The result is in.'), finish()];
        if (said.includes('look')) return [call(0, 'look', '{}', 'call_look'), finish('tool-calls')];
        if (said.includes('wait')) return [text('The first words'), hold, text(' and the last.'), finish()];
        return [text('Hello there.'), finish()];
      }),
    });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    gate = new Promise((resolve) => (proceed = resolve));
  });
  afterEach(() => {
    proceed();
    expect(browser.problems.splice(0)).toEqual([]);
  });

  /** Starts a run and gives its id. */
  async function begin(message: string): Promise<string> {
    const id = `run-${randomUUID()}`;
    const input = [{ role: 'user', content: [{ type: 'text', text: message }] }];
    const answer = await fetch(`${server.url}/process/task`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, session_id: randomUUID(), user_id: 'anonymous', input }),
    });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { task_id: string }).task_id;
  }

  const open = (place: string): Promise<Page> => browser.page(`${server.url}/console/#/${place}`);

  it('a run is cancelled, and the page and the list show it', async () => {
    const id = await begin('Please wait');
    const list = await open('runs');
    const row = list.getByRole('listitem').filter({ hasText: 'Please wait' });
    await row.getByText('running').waitFor();
    const page = await open(`runs/${id}`);
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.locator('header').getByText('Stopped').waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).waitFor({ state: 'detached' });
    await row.getByText('Stopped').waitFor();
    await list.context().close();
    await page.context().close();
  });

  it('the list shows a new run at once, and drops one that was removed', async () => {
    const list = await open('runs');
    const words = `Please wait for ${randomUUID()}`;
    const id = await begin(words);
    const row = list.getByRole('listitem').filter({ hasText: words });
    await row.getByText('running').waitFor();
    proceed();
    await row.getByText('completed').waitFor();
    await server.get(Runs).remove(tenantReach(DEFAULT_TENANT), id);
    await row.waitFor({ state: 'detached' });
    await list.context().close();
  });

  it('a run is watched live on the wires of choice', async () => {
    const id = await begin('Please wait');
    const page = await open(`runs/${id}`);
    await page.getByRole('tab', { name: 'Watch' }).click();
    const frames = page.getByRole('region', { name: 'Frames of AG-UI, in order' });
    await frames.getByText('The first words').waitFor();
    expect(await frames.getByText('RUN_FINISHED').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'AG-Kit', exact: true }).check();
    proceed();
    await frames.getByText('RUN_FINISHED').waitFor();
    await page.getByRole('region', { name: 'Frames of AG-Kit, in order' }).getByText('[DONE]').waitFor();
    await page.locator('header').getByText('completed').waitFor();
    await page.context().close();
  });

  it('the timeline shows the model call that a run waits for, and then how long it took', async () => {
    const page = await open(`runs/${await begin('Please look')}`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    const current = timeline.getByRole('listitem').filter({ hasText: 'model call 2' });
    await current.getByText('in progress').waitFor();
    proceed();
    await current.getByText('tokens').waitFor();
    expect(await current.getByText('in progress').count()).toBe(0);
    await page.context().close();
  });

  it('a list of 100,000 runs is there at once, is read on while scrolling, and finds one of them', async () => {
    await addRuns(server, RUNS);
    const before = Date.now();
    const page = await open('runs?text=Words');
    const list = page.getByRole('region', { name: 'Runs, newest first' });
    await list.getByText(`Words of ${RUNS - 1}`).waitFor();
    expect(Date.now() - before).toBeLessThan(SOON_MS);
    await page.getByText('50+ shown').waitFor();
    await scrollToEnd(list);
    await page.getByText('100+ shown').waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(60);
    await page.getByRole('searchbox', { name: 'Text' }).fill('many-123');
    await page.getByRole('button', { name: 'Search' }).click();
    await list.getByText('Words of 123', { exact: true }).waitFor();
    expect(await list.getByText(`Words of ${RUNS - 1}`).count()).toBe(0);
    await page.context().close();
  });

  it('a log of 50,000 events is shown from any place, and searched', async () => {
    const id = await begin('Hello');
    const page = await open(`runs/${id}`);
    await page.locator('header').getByText('completed').waitFor();
    await replaceLog(server, id, EVENTS);
    await page.reload();
    const before = Date.now();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('50,000 events').waitFor();
    const events = page.getByRole('region', { name: 'Events', exact: true });
    await events.locator('summary', { hasText: 'piece 0"' }).waitFor();
    expect(Date.now() - before).toBeLessThan(SOON_MS);
    // Rows get their heights when they are shown, so the end may move while it is scrolled to.
    const last = events.locator('summary', { hasText: `piece ${EVENTS - 1}"` });
    await until(async () => {
      await scrollToEnd(events);
      return (await last.count()) === 1;
    });
    expect(await events.getByRole('listitem').count()).toBeLessThan(100);
    await page.getByRole('searchbox', { name: 'Text in the event' }).fill('needle');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Events found' }).getByText('needle').first().waitFor();
    await page.context().close();
  });
});
