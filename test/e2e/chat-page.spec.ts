import { LLMock } from '@copilotkit/aimock';
import type { Locator, Page, Route } from 'playwright-core';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { ChatPage } from '../support/chat-page.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { InstalledPackage } from '../support/installed-package.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const TIMEOUT_MS = 240_000;
const PHONE = { width: 360, height: 740 };
const COUNT = 40;
/** What the browser says of requests that fail on purpose. */
const EXPECTED = /Failed to load resource|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION/;

describeInBrowser('the page of the example chat-page', (browser) => {
  let installed: InstalledPackage;
  let example: ChatPage;
  let served: Awaited<ReturnType<ChatPage['preview']>>;
  const servers: { database: TestDatabase; server: ServerProcess }[] = [];

  async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
    const database = await sqliteDatabase();
    const server = await ServerProcess.start(
      database,
      { LEASE_MS: '3000', RUN_MAX_ATTEMPTS: '9', ...env },
      example.main,
    );
    servers.push({ database, server });
    return server;
  }

  let server: ServerProcess;

  beforeAll(async () => {
    installed = InstalledPackage.create();
    example = await ChatPage.build(installed);
    server = await start();
    served = await example.preview(server.url);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await served.stop();
    for (const one of servers) {
      await one.server.stop();
      await one.database.drop();
    }
    installed.remove();
  });
  afterEach(() => {
    expect(browser.problems.splice(0).filter((problem) => !EXPECTED.test(problem))).toEqual([]);
  });

  const log = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });
  const answers = (page: Page): Locator => log(page).getByRole('article', { name: 'Assistant' });
  const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
  const isReady = (page: Page): Promise<void> => button(page, 'Send').waitFor();

  async function say(page: Page, text: string): Promise<void> {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await button(page, 'Send').click();
  }
  async function ask(text: string, url = served.url): Promise<Page> {
    const page = await browser.page(url);
    await say(page, text);
    return page;
  }
  /** The words that the page shows, without those that say where it is. */
  const words = async (page: Page): Promise<readonly string[]> =>
    (await log(page).locator('p.text').allInnerTexts()).map((text) => text.trim());

  /** The page, and the same after a reload, show one whole answer. */
  async function expectWhole(page: Page): Promise<void> {
    await answers(page)
      .getByText(new RegExp(`\\b${COUNT}\\b`))
      .waitFor();
    await isReady(page);
    const whole = [`count to ${COUNT} slowly`, counted(COUNT)];
    expect(await words(page)).toEqual(whole);
    await page.reload();
    await isReady(page);
    await until(async () => (await words(page)).length === whole.length);
    expect(await words(page)).toEqual(whole);
  }

  it('shows the whole answer after kill -9 of the server in its midst, and a reload', async () => {
    const page = await ask(`count to ${COUNT} slowly`);
    await answers(page).getByText(/\b5\b/).waitFor();
    await server.kill();
    await page.getByRole('alert').getByText('The connection was lost').waitFor();
    await server.restart();
    await page.reload();
    await expectWhole(page);
    await page.context().close();
  });

  it('opens the answer again by itself after kill -9', async () => {
    const page = await ask(`count to ${COUNT} slowly`);
    await answers(page).getByText(/\b5\b/).waitFor();
    await server.kill();
    await page.getByRole('alert').getByText('The connection was lost').waitFor();
    await server.restart();
    await expectWhole(page);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
  });

  it('sends a message that the server has not got when it is back', async () => {
    const page = await browser.page(served.url);
    await isReady(page);
    await server.kill();
    await say(page, 'Where is my order A-1001?');
    await page.getByRole('alert').getByText('The connection was lost').waitFor();
    await server.restart();
    await answers(page).getByText('arrives: Friday').waitFor();
    expect(await log(page).getByRole('article', { name: 'You' }).count()).toBe(1);
    await page.context().close();
  });

  it('goes on with an answer in progress after a reload, in two tabs, and stops it', async () => {
    const page = await ask('count to 500 slowly');
    await answers(page).getByText(/\b5\b/).waitFor();
    await page.reload();
    const other = await browser.page(page.url());
    await answers(page)
      .getByText(/\b30\b/)
      .waitFor();
    await answers(other)
      .getByText(/\b30\b/)
      .waitFor();
    await button(page, 'Stop').click();
    await isReady(page);
    await isReady(other);
    await page.reload();
    await answers(page)
      .getByText(/\b30\b/)
      .waitFor();
    await isReady(page);
    const shown = await words(page);
    expect(shown[1]).toMatch(/^1 2 3 /);
    expect(shown[1]).not.toContain('500');
    await other.reload();
    await until(async () => expect(await words(other)).toEqual(shown));
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
    await other.context().close();
  });

  it.each([
    ['Approve', '80 euros were paid back for order A-1001.'],
    ['Deny', 'denied'],
  ])('asks before a refund, also after a reload: %s', async (choice, outcome) => {
    const page = await ask('Refund 80 euros for order A-1001');
    await button(page, choice).waitFor();
    await page.reload();
    await isReady(page);
    await button(page, choice).click();
    await answers(page).locator('p.text').getByText(outcome).waitFor();
    await isReady(page);
    expect(await button(page, 'Approve').count()).toBe(0);
    expect(await answers(page).count()).toBe(1);
    await page.context().close();
  });

  it('runs a tool in the page, also one that a closed page has left open', async () => {
    const page = await browser.page(served.url);
    await isReady(page);
    const left = new URL(page.url()).searchParams.get('chat') ?? '';
    const tools = {
      set_theme: {
        description: 'Sets the theme',
        inputSchema: { type: 'object', properties: { theme: { enum: ['light', 'dark'] } }, required: ['theme'] },
      },
    };
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Set the theme to dark' }] };
    const opened = await fetch(`${server.url}/ai-sdk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: left, message, tools }),
    });
    expect(await opened.text()).toContain('"toolName":"set_theme"');
    await page.reload();
    await answers(page).getByText('The page is dark now.').last().waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await isReady(page);
    await say(page, 'Set the theme to light');
    await until(async () => (await page.locator('html').getAttribute('data-theme')) === 'light');
    await isReady(page);
    await until(async () => (await answers(page).count()) === 2);
    await page.context().close();
  });

  it('says why a request is refused, and sends it again', async () => {
    const page = await browser.page(served.url);
    await isReady(page);
    const refuse = (route: Route): Promise<void> =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '7' },
        json: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.' },
      });
    await page.route('**/ai-sdk', refuse);
    await say(page, 'Where is my order A-1001?');
    const alert = page.getByRole('alert');
    await alert.getByText('Too many requests. Try again in 7 s.').waitFor();
    await page.unroute('**/ai-sdk');
    await button(page, 'Try again').click();
    await answers(page).getByText('arrives: Friday').waitFor();
    expect(await log(page).getByRole('article', { name: 'You' }).count()).toBe(1);
    await page.context().close();
  });

  it('says that the agent has failed, and lets it try again', async () => {
    const model = new LLMock({ port: 0 });
    model.onMessage('hello', { content: 'Good day.' });
    await model.start();
    const other = await start({
      LLM_BASE_URL: `${model.url}/v1`,
      LLM_API_KEY: 'sk-test',
      LLM_MODEL: 'm',
      LLM_MAX_RETRIES: '0',
    });
    const own = await example.preview(other.url);
    model.nextRequestError(500, { message: 'broken' });
    const page = await ask('hello', own.url);
    await page.getByRole('alert').getByText('The agent has failed').waitFor();
    await button(page, 'Try again').click();
    await answers(page).getByText('Good day.').waitFor();
    expect(await log(page).getByRole('article').count()).toBe(2);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
    await own.stop();
    await model.stop();
  });

  it('shows thoughts, files and sources', async () => {
    const page = await browser.page('about:blank');
    const parts = [
      { type: 'reasoning', text: 'It may be a map.' },
      { type: 'text', text: 'Here it is.' },
      { type: 'file', url: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=', mediaType: 'image/gif', filename: 'map.gif' },
      { type: 'file', url: 'http://127.0.0.1:1/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'source-url', sourceId: 's1', url: 'https://example.org/a', title: 'A page' },
      { type: 'source-document', sourceId: 's2', mediaType: 'text/plain', title: 'A document' },
    ];
    const messages = [{ id: 'a1', role: 'assistant', parts }];
    await page.route('**/messages', (route) => route.fulfill({ json: { messages, activeRunId: null } }));
    await page.goto(served.url);
    await page.getByText('Thoughts').click();
    await page.getByText('It may be a map.').waitFor();
    await page.getByRole('img', { name: 'map.gif' }).waitFor();
    expect(await page.getByRole('link', { name: 'a.pdf' }).getAttribute('href')).toBe('http://127.0.0.1:1/a.pdf');
    const sources = page.getByRole('list', { name: 'Sources' }).getByRole('listitem');
    expect(await sources.allInnerTexts()).toEqual(['A page', 'A document']);
    await page.context().close();
  });

  it('npm run dev starts the server and the page, and ends both', async () => {
    const { server: own, page: url, stop } = await example.develop();
    const page = await ask('Where is my order A-1001?', url);
    await answers(page).getByText('arrives: Friday').waitFor();
    await page.context().close();
    await stop();
    await expect(fetch(url)).rejects.toThrow();
    await expect(fetch(own)).rejects.toThrow();
  });

  it.each(['light', 'dark'] as const)('is usable on a phone and for everyone, %s', async (colorScheme) => {
    const page = await browser.page(served.url, { viewport: PHONE, colorScheme });
    await isReady(page);
    expect(await seriousFindings(page)).toEqual([]);
    await button(page, 'Refund 80 euros for order A-1001').click();
    await button(page, 'Approve').waitFor();
    await isReady(page);
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    await page.context().close();
  });
});
