import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

const WIRES = [
  'Agent API',
  'OpenAI Responses',
  'OpenAI Chat Completions',
  'AI SDK',
  'AG-UI',
  'Runs API',
  'A2A',
] as const;
const COUNT = 30;

describeInBrowser('an answer that is cut off', (browser) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await ServerProcess.start(database, { RUN_MAX_ATTEMPTS: '9', LEASE_MS: '4000' });
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const log = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });
  const answers = (page: Page): Locator => log(page).getByRole('article', { name: 'Agent' });

  /** A page in which the agent counts slowly, and has begun to. */
  async function counting(wire: string, to = COUNT): Promise<Page> {
    const page = await browser.page(`${server.url}/console/`);
    await page.getByRole('combobox', { name: 'Wire' }).selectOption({ label: wire });
    await page.getByLabel('Message', { exact: true }).fill(`count to ${to} slowly`);
    await page.getByRole('button', { name: 'Send' }).click();
    await answers(page).getByText(/\b5\b/).waitFor();
    return page;
  }

  /** Waits for the end of the answer, and gives all that the agent has written. */
  async function whole(page: Page): Promise<readonly string[]> {
    await answers(page)
      .getByText(new RegExp(`\\b${COUNT}\\b`))
      .waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    return answers(page).allInnerTexts();
  }

  it.each(WIRES)('the page reads on after kill -9 of the server, without gap or repeat, over %s', async (wire) => {
    const page = await counting(wire);
    await server.kill();
    await page.getByText('The connection to the server was lost').waitFor();
    await server.restart();
    expect(await whole(page)).toEqual([counted(COUNT)]);
    await page.getByText('Nothing is missing or repeated').waitFor();
    expect(await log(page).getByText('The server continued this run after a crash.').count()).toBe(1);
    await page.context().close();
  });

  it('the timeline of a run shows where another worker continued it after kill -9', async () => {
    const page = await counting('Agent API');
    await server.kill();
    await server.restart();
    await whole(page);
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText(`count to ${COUNT} slowly`).first().click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('listitem').filter({ hasText: 'recovery' }).getByText('attempt 2').waitFor();
    await page.getByText(/^2, recovered/).waitFor();
    await page.context().close();
  });

  it('a page that is loaded again goes on with the answer', async () => {
    const page = await counting('Agent API');
    await page.reload();
    expect(await whole(page)).toEqual([counted(COUNT)]);
    expect(await log(page).getByRole('article', { name: 'You' }).allInnerTexts()).toEqual([`count to ${COUNT} slowly`]);
    await page.context().close();
  });

  it('two browsers show one run at the same time, and either can stop it', async () => {
    const first = await counting('AG-UI', 500);
    const second = await browser.page(first.url());
    await answers(second).getByText(/\b5\b/).waitFor();
    await second.getByRole('button', { name: 'Stop' }).click();
    await first.getByRole('button', { name: 'Send' }).waitFor();
    await second.getByRole('button', { name: 'Send' }).waitFor();
    expect(await answers(first).allInnerTexts()).toEqual(await answers(second).allInnerTexts());
    await first.context().close();
    await second.context().close();
  });
});
