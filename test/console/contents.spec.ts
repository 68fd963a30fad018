import type { Locator, Page } from 'playwright-core';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { seriousFindings } from '../support/axe.js';
import { describeInBrowser } from '../support/browser.js';
import { startServer, type TestServer } from '../support/server.js';
import { BookingAgent, CardTools, PainterAgent, PIXEL } from '../support/showing-agents.js';

const LONG = `${'A long message. '.repeat(30)}And its end.`;

describeInBrowser('what a conversation shows', (browser) => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({
      providers: [PainterAgent, BookingAgent, CardTools],
      model: new ScriptedModelClient(({ messages }) => {
        const last = messages.at(-1);
        const said = JSON.stringify(last?.content);
        if (last?.role === 'tool') return [text('The parcel travels.'), finish()];
        if (said.includes('the parcel')) return [call(0, 'parcel', '{}', 'call_parcel'), finish('tool-calls')];
        if (/image/.test(said)) return [text('I see an image.'), finish()];
        return [text(`You said: ${said.slice(0, 40)}`), finish()];
      }),
    });
  });
  afterAll(() => server.close());
  afterEach(() => {
    expect(browser.problems.splice(0)).toEqual([]);
  });

  async function open(wire: string, agent?: string): Promise<Page> {
    const page = await browser.page(`${server.url}/console/`);
    await page.getByRole('combobox', { name: 'Wire' }).selectOption({ label: wire });
    if (agent !== undefined) await page.getByRole('combobox', { name: 'Agent' }).selectOption(agent);
    return page;
  }

  async function say(page: Page, message: string): Promise<void> {
    await page.getByLabel('Message', { exact: true }).fill(message);
    await page.getByRole('button', { name: 'Send' }).click();
  }

  const log = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });

  /** Whether the browser has decoded an image. */
  const isDecoded = (image: Locator): Promise<boolean> =>
    image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth > 0);

  it.each([
    'Agent API',
    'OpenAI Responses',
    'OpenAI Chat Completions',
    'AI SDK',
    'AG-UI',
    'CopilotKit',
    'Runs API',
    'A2A',
  ])('an image goes with a message over %s, and is there after a reload', async (wire) => {
    const page = await open(wire);
    const buffer = Buffer.from(PIXEL, 'base64');
    await page.locator('input[type=file]').setInputFiles({ name: 'pixel.png', mimeType: 'image/png', buffer });
    await page.getByAltText('Image 1').waitFor();
    await say(page, 'What is this?');
    await log(page).getByText('I see an image.').waitFor();
    const image = log(page).getByAltText('Sent with the message');
    await image.waitFor();
    expect(await isDecoded(image)).toBe(true);
    await page.reload();
    await log(page).getByText('I see an image.').waitFor();
    expect(await isDecoded(log(page).getByAltText('Sent with the message'))).toBe(true);
    await page.context().close();
  });

  it('an uploaded image is listed with the attachments, shown in full, and downloaded', async () => {
    const page = await open('AG-UI');
    const buffer = Buffer.from(PIXEL, 'base64');
    await page.locator('input[type=file]').setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer });
    await page.getByAltText('Image 1').waitFor();
    await page.getByRole('link', { name: 'Attachments' }).click();
    const card = page
      .getByRole('list', { name: 'Attachments' })
      .getByRole('listitem')
      .filter({ hasText: 'receipt.png' });
    await card.getByText('1 × 1').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await card.getByRole('button', { name: 'Show receipt.png' }).click();
    const image = page.getByRole('dialog', { name: 'receipt.png' }).getByAltText('receipt.png');
    await image.waitFor();
    expect(await isDecoded(image)).toBe(true);
    await page.keyboard.press('Escape');
    await image.waitFor({ state: 'detached' });
    const download = page.waitForEvent('download');
    await card.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('receipt.png');
    await page.context().close();
  });

  it.each(['OpenAI Responses', 'AI SDK', 'AG-UI', 'CopilotKit', 'Runs API', 'A2A'])(
    'an image of an agent is shown over %s',
    async (wire) => {
      const page = await open(wire, 'painter');
      await say(page, 'Paint');
      const image = log(page).locator('img');
      await image.waitFor();
      expect(await isDecoded(image)).toBe(true);
      await page.context().close();
    },
  );

  it.each(['OpenAI Responses', 'AI SDK', 'AG-UI', 'CopilotKit', 'AG-Kit', 'Runs API', 'A2A'])(
    'the question of an agent is a form made of its schema over %s',
    async (wire) => {
      const page = await open(wire, 'booking');
      await say(page, 'Book');
      const form = page.getByRole('form', { name: 'Question' });
      await form.getByRole('combobox', { name: 'Seat' }).selectOption({ label: 'Aisle' });
      await form.getByRole('spinbutton', { name: 'Bags' }).fill('2');
      await form.getByLabel('Day').fill('2026-12-24');
      await form.getByRole('checkbox', { name: 'wifi' }).check();
      expect(await form.getByRole('checkbox', { name: 'Insured' }).isChecked()).toBe(true);
      await form.getByRole('button', { name: 'Answer', exact: true }).click();
      await log(page).getByText('Booked: "a" 2 "2026-12-24" ["wifi"] true').waitFor();
      await page.context().close();
    },
  );

  it.each(['Agent API', 'AI SDK', 'AG-UI', 'CopilotKit', 'Runs API'])(
    'a card is shown, and its button sends a message, over %s',
    async (wire) => {
      const page = await open(wire);
      await say(page, 'Where is the parcel');
      const card = log(page).getByRole('article', { name: 'Card' });
      await card.getByRole('heading', { name: 'Parcel 42' }).waitFor();
      await card.getByText('On its way').waitFor();
      await card.getByRole('cell', { name: 'Porto' }).waitFor();
      expect(await card.getByRole('progressbar').getAttribute('value')).toBe('0.5');
      await card.getByRole('button', { name: 'Where now?' }).click();
      await log(page).getByRole('article', { name: 'You' }).getByText('Hello parcel').waitFor();
      await page.context().close();
    },
  );

  it('a message longer than its beginning in the list of runs is whole after a reload', async () => {
    const page = await open('Agent API');
    await say(page, LONG);
    await log(page).getByText('You said').waitFor();
    await page.reload();
    await log(page).getByText('And its end.').waitFor();
    expect(await log(page).getByRole('article', { name: 'You' }).innerText()).toBe(LONG);
    await page.context().close();
  });
});
