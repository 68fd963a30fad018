import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ModelClient, type ModelEvent } from '../../src/agent/index.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { apiKey } from '../support/keys.js';
import { startServer, type TestServer } from '../support/server.js';
import { ServerProcess } from '../support/server-process.js';

/** A model whose answers wait after their first words. */
class WaitingModel extends ModelClient {
  readonly provider = 'waiting';
  proceed: () => void = () => undefined;
  private readonly waiting = new Promise<void>((resolve) => {
    this.proceed = resolve;
  });

  async *stream(): AsyncIterable<readonly ModelEvent[]> {
    yield [{ type: 'text-delta', text: 'The first words' }];
    await this.waiting;
    yield [{ type: 'finish', reason: 'stop', usage: null }];
  }
}

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

  it.each([
    ['OpenAI Responses', '/v1/responses'],
    ['AG-UI', '/ag-ui'],
    ['CopilotKit', '/copilotkit/agent/{agentId}/run'],
    ['AG-Kit', '/send-message'],
    ['the Runs API', '/api/v1/agent/runs'],
  ])('the example request of %s runs the agent of a fresh server', async (_, path) => {
    expect((await tryOut('post', path)).status).toMatch(/^20[02]/);
  });

  it('all other example requests of the wires work on a fresh server, too', async () => {
    interface Operation {
      readonly requestBody?: {
        readonly content: Record<string, { readonly examples?: Record<string, { value: object }> }>;
      };
    }
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
    };
    const answers: (readonly [string, string, number])[] = [];
    for (const path of ['/process', '/v1/responses', '/ag-ui', '/send-message', '/api/v1/agent/runs']) {
      const examples = document.paths[path]?.post?.requestBody?.content['application/json']?.examples ?? {};
      for (const [name, { value }] of Object.entries(examples)) {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
        const answer = await fetch(server.url + path, init);
        await answer.text();
        answers.push([path, name, answer.status]);
      }
    }
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter(([, , status]) => status !== 200 && status !== 202)).toEqual([]);
  });

  it('GET /health shows the state of the server', async () => {
    const { status, body } = await tryOut('get', '/health');
    expect(status).toMatch(/^200/);
    expect(body).toContain('healthy');
  });

  describe('as a tool', () => {
    let streaming: TestServer;
    const model = new WaitingModel();

    beforeAll(async () => {
      streaming = await startServer({ model });
    });
    afterAll(() => streaming.close());

    it('has the groups in the order of reading, and folds the operations that repeat others', async () => {
      const own = await browser.newPage();
      await own.goto(`${streaming.url}/docs`);
      await own.locator('[data-tag="OpenAI Responses, other address"][data-is-open="false"]').waitFor();
      const code = "[...document.querySelectorAll('.opblock-tag')].map((one) => one.dataset.tag)";
      const names = await own.evaluate<readonly string[]>(code);
      expect(names[0]).toBe('Agent API');
      expect(names.slice(-2)).toEqual(['OpenAI Responses, other address', 'Service']);
      expect(await own.locator('[data-path^="/compatible-mode"]').count()).toBe(0);
      expect(await own.locator('[data-path="/v1/responses"]').count()).toBe(1);
      await own.close();
    });

    it('shows frames as they arrive, leads from an event to its schema, and stops', async () => {
      const own = await browser.newPage();
      await own.goto(`${streaming.url}/docs`);
      const operation = own.locator('.opblock-post', { has: own.locator('[data-path="/process"]') });
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      const panel = operation.locator('.stream-panel');
      await panel.locator('pre', { hasText: 'The first words' }).first().waitFor();
      // The run has not ended, and Swagger UI has no response yet.
      expect(await panel.getAttribute('data-state')).toBe('receiving');
      expect(await operation.locator('.live-responses-table').count()).toBe(0);
      await panel
        .getByRole('button', { name: /^response created/ })
        .first()
        .click();
      await own.locator('#model-AgentResponseDto [aria-expanded="true"]').first().waitFor();
      await panel.getByRole('button', { name: 'Stop' }).click();
      await operation.locator('.stream-panel[data-state="stopped"]').waitFor();
      const live = operation.locator('.live-responses-table');
      await live.waitFor();
      expect(await live.locator('.response-col_description').last().innerText()).toContain('The first words');
      model.proceed();
      await own.close();
    });
  });

  describe('of a server with authentication', () => {
    let locked: TestServer;
    let key: string;

    beforeAll(async () => {
      locked = await startServer({ env: { AUTH: 'keys' } });
      key = await apiKey(locked, { scopes: ['docs:read', 'runs:read', 'runs:write'] });
    });
    afterAll(() => locked.close());

    it('asks for a credential, sends it with every request, and keeps it in memory only', async () => {
      const own = await browser.newPage();
      const problems: string[] = [];
      own.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      await own.goto(`${locked.url}/docs`);
      await own.getByLabel('API key or token').fill('wrong');
      await own.getByRole('button', { name: 'Show the API' }).click();
      await own.getByText('The credential is not valid').waitFor();
      await own.getByLabel('API key or token').fill(key);
      await own.getByRole('button', { name: 'Show the API' }).click();
      const operation = own.locator('.opblock-get', { has: own.locator('[data-path="/whoami"]') });
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      const live = operation.locator('.live-responses-table');
      await live.waitFor();
      expect(await live.locator('.response-col_status').last().innerText()).toMatch(/^200/);
      expect(await live.locator('.response-col_description').last().innerText()).toContain('"runs:read"');
      const stored = await own.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
      );
      expect(stored).toBe('[{},{},""]');
      // The browser reports the two answers with 401, and nothing else: no script or style was refused.
      expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
      await own.close();
    });

    it('sends the credential that the user enters with Authorize', async () => {
      const own = await browser.newPage();
      await own.goto(`${locked.url}/docs`);
      await own.getByLabel('API key or token').fill(key);
      await own.getByRole('button', { name: 'Show the API' }).click();
      await own.locator('.auth-wrapper .authorize').first().click();
      const dialog = own.locator('.modal-ux');
      await dialog.locator('.auth-container input').last().fill(key);
      await dialog.getByRole('button', { name: 'Apply credentials' }).click();
      await dialog.locator('.btn-done').first().click();
      const sent = own.waitForRequest(`${locked.url}/whoami`);
      const operation = own.locator('.opblock-get', { has: own.locator('[data-path="/whoami"]') });
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      expect((await sent).headers()).toMatchObject({ 'x-api-key': key });
      await own.close();
    });
  });
});
