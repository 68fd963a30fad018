import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';

describeInBrowser('a console whose server is away', (browser) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await ServerProcess.start(database);
    const input = [{ role: 'user', content: [{ type: 'text', text: 'Hello from before' }] }];
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'before', stream: false, input }),
    });
    expect(answer.status).toBe(200);
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const away = (page: Page) => page.getByRole('alert').filter({ hasText: 'The server does not answer' });

  it('rows that were read stay, marked with their time, and are current again when it is back', async () => {
    const page = await browser.page(`${server.url}/console/#/runs`);
    const list = page.getByRole('region', { name: 'Runs, newest first' });
    await list.getByText('Hello from before').waitFor();
    await server.kill();
    await away(page).getByText('may be out of date').waitFor();
    expect(await list.getByText('Hello from before').count()).toBe(1);
    await server.restart();
    await away(page).waitFor({ state: 'detached' });
    await list.getByText('Hello from before').waitFor();
    await page.context().close();
  });

  it('every page that is opened meanwhile has the frame, a notice and Retry, and appears afterwards', async () => {
    const page = await browser.page(`${server.url}/console/`);
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await links.first().waitFor();
    const titles = await links.allInnerTexts();
    await server.kill();
    for (const title of titles) {
      await page.getByRole('link', { name: title, exact: true }).click();
      await away(page).getByRole('button', { name: 'Retry' }).waitFor();
      expect(await links.allInnerTexts()).toEqual(titles);
      // Talk is part of the first load; the files of the others cannot be read.
      if (title === 'Talk') continue;
      await page.getByRole('alert').getByText('This page could not be loaded.').waitFor();
    }
    await server.restart();
    for (const title of titles) {
      await page.getByRole('link', { name: title, exact: true }).click();
      await page.getByRole('main').getByRole('heading', { name: title, level: 1 }).waitFor({ state: 'attached' });
    }
    await away(page).waitFor({ state: 'detached' });
    await page.context().close();
  });
});
