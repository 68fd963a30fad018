import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env.PARLEY_CHROMIUM ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];
/** How long a page may take for one step. Less than a test, so that the error says which step it was. */
const PATIENCE_MS = 60_000;
const TEST_TIMEOUT_MS = 150_000;

/** Describes what is tried in a real browser; skipped, with a line that says so, where there is none. */
export function describeInBrowser(title: string, body: (browser: TestBrowser) => void): void {
  const hasBrowser = existsSync(CHROMIUM);
  (hasBrowser ? describe : describe.skip)(hasBrowser ? title : `${title} (skipped: there is no ${CHROMIUM})`, () => {
    jest.setTimeout(TEST_TIMEOUT_MS);
    const browser = new TestBrowser();
    beforeAll(() => browser.start(), 60_000);
    afterAll(() => browser.stop());
    body(browser);
  });
}

/** A browser, and what went wrong in its pages. */
export class TestBrowser {
  private browser: Browser | undefined;
  /** Errors of the pages: exceptions, and what the browser refused, such as a script that the policy forbids. */
  readonly problems: string[] = [];

  async start(): Promise<void> {
    this.browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  }

  async stop(): Promise<void> {
    await this.browser?.close();
  }

  /** A page of a browser of its own: nothing is shared with other pages. */
  async page(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    if (!this.browser) throw new Error('The browser was not started');
    const context = await this.browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && this.problems.push(message.text()));
    await page.goto(url);
    return page;
  }
}
