// npm run screenshots: takes the pictures of the console in docs/images, in both colour schemes, and the film of the README,
// with the built server, sample data and Chromium (PARLEY_CHROMIUM, by default /usr/bin/chromium). With `-- film` or
// `-- pictures` it takes one of both.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crashFilm } from './lib/crash-film.mjs';
import { withPalette } from './lib/palette-png.mjs';
import { ALL_PARTS, ensureBuilt, ensureConsole, ensureInstalled } from './lib/project.mjs';
import { SampleData } from './lib/sample-data.mjs';
import { sampleModel } from './lib/sample-model.mjs';
import { serve } from './lib/sample-process.mjs';
import { loadTool } from './lib/tools.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMAGES = join(ROOT, 'docs/images');
const SIZE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 780 };
const LARGEST_BYTES = 150_000;
const LARGEST_FILM_BYTES = 1_500_000;
/** The images that are uploaded. */
const SCENES = ['harbour', 'mountains', 'vineyard'];

process.exitCode =
  (await ensureInstalled(ROOT, { parts: ALL_PARTS })) ||
  (await ensureBuilt(ROOT)) ||
  (await ensureConsole(ROOT)) ||
  (await main());

/** @returns {Promise<number>} exit code */
async function main() {
  const [only] = process.argv.slice(2);
  mkdirSync(IMAGES, { recursive: true });
  const { chromium } = /** @type {typeof import('playwright-core')} */ (loadTool(ROOT, 'playwright-core'));
  const browser = await chromium.launch({
    executablePath: process.env.PARLEY_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--disable-lcd-text'],
  });
  try {
    const film = join(IMAGES, 'kill-and-restart.png');
    if (only !== 'pictures') writeFileSync(film, await crashFilm(browser));
    const isSmall = report([film], LARGEST_FILM_BYTES);
    const files = only === 'film' ? [] : await allPictures(browser);
    return report(files, LARGEST_BYTES) && isSmall ? 0 : 1;
  } finally {
    await browser.close();
  }
}

/**
 * The pictures of all pages, at a server that was killed once.
 *
 * @param {import('playwright-core').Browser} browser
 */
async function allPictures(browser) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-screenshots-'));
  let { server, url } = await serve(folder, 0);
  try {
    const data = new SampleData(url);
    await data.fill();
    const trip = await data.beginTrip();
    await data.until(trip, ({ status, eventCount }) => status === 'running' && eventCount > 8);
    server.kill('SIGKILL');
    await once(server, 'exit');
    ({ server, url } = await serve(folder, Number(new URL(url).port)));
    await data.until(trip, ({ status }) => status === 'completed');
    for (const name of SCENES) await data.upload(`${name}.png`, await scene(browser, name));
    const files = [];
    for (const scheme of /** @type {const} */ (['light', 'dark'])) {
      files.push(...(await pictures(browser, url, trip, scheme)));
      files.push(...(await phonePictures(browser, url, trip, scheme)));
      files.push(...(await operatorPictures(browser, scheme)));
    }
    return files;
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {string} trip the id of a run
 * @param {'light' | 'dark'} colorScheme
 */
async function pictures(browser, url, trip, colorScheme) {
  const { page, picture, open, files } = await camera(browser, url, colorScheme, SIZE);
  await open('talk');
  await page.getByRole('button', { name: 'Frames' }).click();
  await page.getByLabel('Message', { exact: true }).fill('What is the weather in Lisbon?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('article', { name: 'Card' }).waitFor();
  await page.getByRole('region', { name: 'Frames of AG-UI, in order' }).getByText('RUN_FINISHED').waitFor();
  await picture('talk');

  await open('runs');
  await page.getByText('Thank you, that is all').waitFor();
  await picture('runs');

  await open(`runs/${trip}`);
  await page.getByRole('list', { name: 'Timeline' }).getByText('search_flights').first().waitFor();
  await picture('run');

  await open('inbox');
  await page.getByRole('form', { name: 'Question' }).waitFor();
  await picture('inbox');

  await open('sessions');
  await page.getByRole('link', { name: /Thank you, that is all/ }).waitFor();
  await picture('sessions');

  await open('tools/calendar_write');
  const tool = page.getByRole('listitem').filter({ hasText: 'calendar_write' });
  await tool.getByLabel('title', { exact: true }).fill('Lunch with Ana');
  await tool.getByLabel('start', { exact: true }).fill('2026-01-31T12:00:00');
  await tool.getByLabel('event_timezone', { exact: true }).fill('Europe/Lisbon');
  await tool.getByRole('button', { name: 'Ask the policy' }).click();
  await tool.getByRole('status').scrollIntoViewIfNeeded();
  await picture('tools');

  await open('agents');
  await page.getByRole('heading', { name: 'booking' }).waitFor();
  await picture('agents');

  await open('attachments');
  for (const name of SCENES) await page.getByRole('heading', { name: `${name}.png` }).waitFor();
  await page.waitForLoadState('networkidle');
  await picture('attachments');

  await page.context().close();
  return files;
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {string} trip the id of a run
 * @param {'light' | 'dark'} colorScheme
 */
async function phonePictures(browser, url, trip, colorScheme) {
  const { page, picture, open, files } = await camera(browser, url, colorScheme, PHONE);

  await open('talk');
  await page.getByLabel('Message', { exact: true }).fill('What is the weather in Lisbon?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('article', { name: 'Card' }).waitFor();
  await picture('phone-talk');

  await open(`runs/${trip}`);
  await page.getByRole('list', { name: 'Timeline' }).getByText('search_flights').first().waitFor();
  await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').last().scrollIntoViewIfNeeded();
  await picture('phone-run');

  await page.context().close();
  return files;
}

/**
 * The pages of an operator, at a server of its own with authentication and with models.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {'light' | 'dark'} colorScheme
 */
async function operatorPictures(browser, colorScheme) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-screenshots-'));
  const admin = ['key', 'create', '--tenant', 'default', '--account', 'operations', '--name', 'Operations'];
  const scopes = 'runs:read runs:write ops:read admin:keys admin:budgets admin:tenants';
  const env = { PATH: process.env.PATH, DATA_DIR: folder, AUTH: 'keys' };
  const parley = [join(ROOT, 'bin/parley.mjs'), ...admin, '--scopes', scopes];
  const key = execFileSync(process.execPath, parley, { cwd: folder, env, encoding: 'utf8' }).trim();
  const model = await sampleModel();
  const models = { fast: { baseUrl: model.url, model: 'lisbon-mini', agents: ['support-*'] } };
  const { server, url } = await serve(folder, 0, {
    AUTH: 'keys',
    LLM_BASE_URL: model.url,
    LLM_MODEL: 'lisbon-large',
    LLM_MODELS: JSON.stringify(models),
  });
  try {
    const data = new SampleData(url, key);
    await data.addKeys();
    const { page, picture, open, files } = await camera(browser, url, colorScheme, SIZE);
    await open('access');
    await page.getByLabel('API key or token').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('region', { name: 'API keys', exact: true }).getByText('Nightly reports').waitFor();
    await picture('access');
    await open('models');
    await page.getByRole('button', { name: 'Try the model' }).first().click();
    await page.getByRole('region', { name: 'Report' }).waitFor();
    await picture('models');
    await page.context().close();
    return files;
  } finally {
    server.kill('SIGKILL');
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A page, what takes its pictures, and their files so far.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} url of the server
 * @param {'light' | 'dark'} colorScheme
 * @param {{ width: number, height: number }} viewport
 */
async function camera(browser, url, colorScheme, viewport) {
  const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', timezoneId: 'UTC' });
  const page = await context.newPage();
  /** @type {string[]} */
  const files = [];
  const picture = async (/** @type {string} */ name) => {
    const path = join(IMAGES, `console-${name}-${colorScheme}.png`);
    await page.mouse.move(0, 0);
    writeFileSync(path, withPalette(await page.screenshot({ animations: 'disabled', caret: 'hide' })));
    files.push(path);
  };
  const open = (/** @type {string} */ place) => page.goto(`${url}/console/#/${place}`);
  return { page, picture, open, files };
}

/**
 * An image to upload.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} name one of `SCENES`
 */
async function scene(browser, name) {
  const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
  const hue = 40 + 90 * SCENES.indexOf(name);
  await page.setContent(`<style>body { margin: 0 }</style><svg width="640" height="480">
    <rect width="640" height="480" fill="hsl(${hue} 60% 80%)"/>
    <circle cx="480" cy="120" r="52" fill="hsl(${hue} 90% 92%)"/>
    <path d="M0 330 L150 180 L290 320 L410 220 L640 360 V480 H0 Z" fill="hsl(${hue} 35% 55%)"/>
    <rect y="360" width="640" height="120" fill="hsl(${hue + 150} 40% 45%)"/></svg>`);
  const picture = await page.screenshot();
  await page.close();
  return picture;
}

/**
 * Whether files are small enough.
 *
 * @param {readonly string[]} files
 * @param {number} largest in bytes
 */
function report(files, largest) {
  const sizes = files.map((file) => ({ file, size: statSync(file).size }));
  for (const { file, size } of sizes) console.log(`${basename(file)}  ${Math.ceil(size / 1000)} kB`);
  const large = sizes.filter(({ size }) => size > largest);
  if (large.length === 0) return true;
  console.error(`Larger than ${largest / 1000} kB: ${large.map(({ file }) => basename(file)).join(', ')}`);
  return false;
}
