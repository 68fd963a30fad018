import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';

const CHROMIUM = process.env.PARLEY_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
const hasBrowser = existsSync(CHROMIUM);
const title = 'Swagger UI in a browser';

(hasBrowser ? describe : describe.skip)(hasBrowser ? title : `${title} (skipped: there is no ${CHROMIUM})`, () => {
  let database: TestDatabase;
  let server: ServerProcess;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await ServerProcess.start(database);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    page = await browser.newPage();
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await server.stop();
    await database.drop();
  });

  /** Opens an operation, presses “Try it out” and “Execute”, and gives what the page shows of the answer. */
  async function tryOut(method: string, path: string): Promise<{ status: string; body: string }> {
    await page.goto(`${server.url}/docs`);
    const operation = page.locator(`.opblock-${method}`, {
      has: page.locator(`[data-path="${path}"]`),
    });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const live = operation.locator('.live-responses-table');
    await live.waitFor();
    return {
      status: await live.locator('.response-col_status').last().innerText(),
      body: await live.locator('.response-col_description').last().innerText(),
    };
  }

  it('the example request of POST /process runs the agent', async () => {
    const { status, body } = await tryOut('post', '/process');
    expect(status).toMatch(/^200/);
    expect(body).toContain('"status":"completed"');
    expect(body).toContain('[DONE]');
  });

  it('GET /health shows the state of the server', async () => {
    const { status, body } = await tryOut('get', '/health');
    expect(status).toMatch(/^200/);
    expect(body).toContain('healthy');
  });
});
