/** The film of the README: two pages read one run over two protocols, and lose nothing when its server is killed. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { animatedPng } from './animated-png.mjs';
import { decode } from './png.mjs';
import { serve } from './sample-process.mjs';

const PAGE = { width: 470, height: 800 };
/** The height of the part of a page that is shown: the conversation from its choice of the wire on. */
const SHOWN = 460;
const GAP = 4;
const TERMINAL = { width: 2 * PAGE.width + GAP, height: 92 };
const LAST = 200;
const QUESTION = `count to ${LAST} slowly`;
/** What the agent has said when the server is killed. */
const KILLED_AT = 70;
const FRAME_MS = 200;
/** How long the last picture is shown. */
const END_MS = 4000;
/** How long the server stays away. */
const AWAY_MS = 2500;
/** The longest that a scene may take. */
const SCENE_MS = 60_000;

/**
 * Takes the film with the built server.
 *
 * @param {import('playwright-core').Browser} browser
 * @returns {Promise<Buffer>} an animated PNG
 */
export async function crashFilm(browser) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-film-'));
  let { server, url } = await serve(folder, 0);
  try {
    const port = Number(new URL(url).port);
    const terminal = await terminalOf(browser);
    await terminal.line('$ parley start');
    const left = await openPage(browser, `${url}/console/#/talk?wire=responses`);
    const right = await openPage(browser, `${url}/console/#/talk?wire=ag-ui`);
    const film = new Film([left, right], terminal);
    await film.take();
    await left.getByLabel('Message', { exact: true }).fill(QUESTION);
    await left.getByRole('button', { name: 'Send' }).click();
    // The wire gives the conversation an id of its own, which is then in the address.
    await film.until(() => hasSaid(left, 2));
    const session = new URLSearchParams(new URL(left.url()).hash.split('?')[1]).get('session') ?? '';
    await right.evaluate(`location.hash = '#/talk?wire=ag-ui&session=${encodeURIComponent(session)}'`);
    const shows = (/** @type {number} */ number) => film.until(() => hasSaid(right, number));
    await shows(KILLED_AT);
    await terminal.line(`$ kill -9 ${server.pid}`);
    server.kill('SIGKILL');
    await once(server, 'exit');
    const back = Date.now() + AWAY_MS;
    await film.until(() => Promise.resolve(Date.now() > back));
    await terminal.line('$ parley start');
    const restarted = serve(folder, port);
    let isUp = false;
    void restarted.then(() => (isUp = true));
    await film.until(() => Promise.resolve(isUp));
    ({ server, url } = await restarted);
    await shows(LAST);
    await film.until(async () => {
      const sends = await Promise.all([left, right].map((page) => page.getByRole('button', { name: 'Send' }).count()));
      return sends.every((count) => count === 1);
    });
    const pictures = film.end();
    for (const page of [left, right, terminal.page]) await page.context().close();
    return animatedPng(TERMINAL.width, SHOWN + GAP + TERMINAL.height, pictures);
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 */
async function openPage(browser, url) {
  const context = await browser.newContext({
    viewport: PAGE,
    colorScheme: 'light',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('combobox', { name: 'Wire' }).waitFor();
  return page;
}

/**
 * Whether the agent has said a number on a page.
 *
 * @param {import('playwright-core').Page} page
 * @param {number} number
 */
async function hasSaid(page, number) {
  const texts = await page.getByRole('article', { name: 'Agent' }).allInnerTexts();
  return texts.some((text) => new RegExp(`\\b${number}\\b`).test(text));
}

/**
 * What was typed, as a page of its own.
 *
 * @param {import('playwright-core').Browser} browser
 */
async function terminalOf(browser) {
  const context = await browser.newContext({ viewport: TERMINAL });
  const page = await context.newPage();
  await page.setContent(`<style>
    body { margin: 0; background: #14161c; color: #e6e9ef; font: 15px/26px 'DejaVu Sans Mono', monospace }
    pre { margin: 7px 14px; font: inherit }</style><pre></pre>`);
  const line = (/** @type {string} */ text) =>
    page.evaluate(`document.querySelector('pre').textContent += ${JSON.stringify(`${text}\n`)}`);
  return { page, line };
}

/** Pictures of pages side by side above the terminal, one after the other. */
class Film {
  /** @type {{ pixels: Buffer, ms: number }[]} */
  pictures = [];

  /**
   * @param {readonly import('playwright-core').Page[]} pages
   * @param {{ page: import('playwright-core').Page }} terminal
   */
  constructor(pages, terminal) {
    this.pages = pages;
    this.terminal = terminal;
  }

  /**
   * Takes pictures until something holds.
   *
   * @param {() => Promise<boolean>} holds
   */
  async until(holds) {
    const end = Date.now() + SCENE_MS;
    for (let isOver = false; !isOver;) {
      const began = Date.now();
      if (began > end) throw new Error(`A scene does not end: ${await this.pages[1]?.locator('main').innerText()}`);
      isOver = await holds();
      await this.take();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, FRAME_MS - (Date.now() - began))));
    }
  }

  /** The pictures; the last one stays for a while. */
  end() {
    const last = this.pictures.at(-1);
    if (last) last.ms = END_MS;
    return this.pictures;
  }

  async take() {
    const clips = await Promise.all(
      this.pages.map(async (page) => {
        const top = ((await page.locator('.talk-head').boundingBox())?.y ?? 8) - 8;
        return decode(await page.screenshot({ ...STILL, clip: { x: 0, y: top, width: PAGE.width, height: SHOWN } }));
      }),
    );
    const below = decode(await this.terminal.page.screenshot(STILL));
    const pixels = Buffer.alloc(TERMINAL.width * (SHOWN + GAP + TERMINAL.height) * 3, 0x85);
    for (const [index, clip] of clips.entries()) draw(pixels, clip, index * (PAGE.width + GAP), 0);
    draw(pixels, below, 0, SHOWN + GAP);
    this.pictures.push({ pixels, ms: FRAME_MS });
  }
}

const STILL = /** @type {const} */ ({ animations: 'disabled', caret: 'hide' });

/**
 * @param {Buffer} onto three bytes for each pixel
 * @param {ReturnType<typeof decode>} picture
 * @param {number} x
 * @param {number} y
 */
function draw(onto, { width, height, channels, pixels }, x, y) {
  for (let line = 0; line < height; line += 1) {
    for (let column = 0; column < width; column += 1) {
      const from = (line * width + column) * channels;
      pixels.copy(onto, ((y + line) * TERMINAL.width + x + column) * 3, from, from + 3);
    }
  }
}
