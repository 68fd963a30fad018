// npm run screenshots: takes the pictures of the console in docs/images, in both colour schemes, with the built server,
// sample data and Chromium (PARLEY_CHROMIUM, by default /usr/bin/chromium).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { withPalette } from './lib/palette-png.mjs';
import { ensureBuilt, ensureInstalled } from './lib/project.mjs';
import { SampleData } from './lib/sample-data.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMAGES = join(ROOT, 'docs/images');
const SIZE = { width: 1280, height: 800 };
const LARGEST_BYTES = 150_000;

process.exitCode = (await ensureInstalled(ROOT)) || (await ensureBuilt(ROOT)) || (await main());

/** @returns {Promise<number>} exit code */
async function main() {
  mkdirSync(IMAGES, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'parley-screenshots-'));
  let { server, url } = await serve(folder, 0);
  const browser = await chromium.launch({
    executablePath: process.env.PARLEY_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--disable-lcd-text'],
  });
  try {
    const data = new SampleData(url);
    await data.fill();
    const trip = await data.beginTrip();
    await data.until(trip, ({ status, eventCount }) => status === 'running' && eventCount > 8);
    server.kill('SIGKILL');
    await once(server, 'exit');
    ({ server, url } = await serve(folder, Number(new URL(url).port)));
    await data.until(trip, ({ status }) => status === 'completed');
    const files = [];
    for (const scheme of /** @type {const} */ (['light', 'dark']))
      files.push(...(await pictures(browser, url, trip, scheme)));
    return report(files);
  } finally {
    await browser.close();
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
  const options = { viewport: SIZE, colorScheme, locale: 'en-GB', timezoneId: 'UTC' };
  const context = await browser.newContext(options);
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

  await open('talk');
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

  await context.close();
  return files;
}

/** @param {readonly string[]} files */
function report(files) {
  const sizes = files.map((file) => ({ file, size: statSync(file).size }));
  for (const { file, size } of sizes) console.log(`${basename(file)}  ${Math.ceil(size / 1000)} kB`);
  const large = sizes.filter(({ size }) => size > LARGEST_BYTES);
  if (large.length === 0) return 0;
  console.error(`Larger than ${LARGEST_BYTES / 1000} kB: ${large.map(({ file }) => basename(file)).join(', ')}`);
  return 1;
}

/**
 * The sample server, once it listens.
 *
 * @param {string} folder for its data
 * @param {number} port 0 takes a free one
 */
async function serve(folder, port) {
  const main = join(ROOT, 'scripts/lib/sample-server.mjs');
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(port), LEASE_MS: '2000', LOG_LEVEL: 'info' };
  const server = spawn(process.execPath, [main], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let [output, url] = ['', ''];
  while (url === '') {
    if (server.exitCode !== null) throw new Error('The sample server did not start');
    const [chunk] = await once(server.stdout, 'data');
    output += String(chunk);
    url = / listens on (http:\S+)\n/.exec(output)?.[1] ?? '';
  }
  server.stdout.resume();
  return { server, url };
}
