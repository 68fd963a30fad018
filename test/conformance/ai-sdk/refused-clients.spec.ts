import { randomUUID } from 'node:crypto';
import { ScriptedModelClient } from '../../../src/agent/testing/scripted-model-client.js';
import { answerCompletion } from '../../support/completion-answers.js';
import { GoldenTools } from '../../support/golden.js';
import { bearer } from '../../support/keys.js';
import {
  type KeyedServer,
  type Refusal,
  REFUSAL_CODES,
  REFUSALS,
  RefusingServers,
} from '../../support/refused-keys.js';
import { type PageState, type Part, SDK_VERSIONS, UiChat } from '../../support/ui-chat.js';

/** May chat, but not answer for people. */
const NO_DECISIONS = ['runs:write', 'runs:read', 'agents:*', 'tools:*', 'models:*'];

/** Refusals as pages see them through the stock transport (contract ui-message-stream, section A6). */
describe.each(SDK_VERSIONS)('the client of ai $title with a key', (version) => {
  const { level } = version;
  const servers = new RefusingServers({ model: new ScriptedModelClient(answerCompletion), providers: [GoldenTools] });
  let page: UiChat;
  let id = '';

  beforeAll(async () => {
    page = await UiChat.start(version);
  });
  beforeEach(() => (id = randomUUID()));
  afterAll(async () => {
    page.close();
    await servers.close();
  });

  const open = ({ url, key }: KeyedServer, options: object = {}): Promise<unknown> =>
    page.open({ id, api: `${url}/ai-sdk?sdk=${level}`, headers: bearer(key), ...options });

  /** The page has one error, whose text holds the code and a sentence. */
  function expectRefusal({ status, error, errors }: PageState, code: string): void {
    expect({ status, errors }).toEqual({ status: 'error', errors: [error] });
    const said = JSON.parse(error ?? '') as { readonly code: string; readonly message: string };
    expect(said.code).toBe(code);
    expect(said.message).toMatch(/^[A-Z].{10,}/);
  }

  it.each(REFUSALS)('reports a %d of a message once, and does not repeat it', async (status: Refusal) => {
    await open(await servers.refused(status));
    await page.do('send', { text: 'hello' });
    const state = await page.state();
    expectRefusal(state, REFUSAL_CODES[status]);
    expect(state.requests).toHaveLength(1);
    expect(state.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it.each(REFUSALS)('reports a %d of the stream that it resumes', async (status: Refusal) => {
    // The address of the stream is built from that of the chat, which has no room for a level.
    const { url, key } = await servers.refused(status);
    await page.open({ id, api: `${url}/ai-sdk`, headers: bearer(key) });
    await page.do('resume');
    expectRefusal(await page.state(), REFUSAL_CODES[status]);
  });

  it('sends the message of a 429 again when the time that it names is over', async () => {
    const keyed = await servers.usedUp(60);
    await open(keyed);
    await page.do('send', { text: 'hello' });
    expectRefusal(await page.state(), 'RATE_LIMIT_EXCEEDED');
    const refused = await fetch(`${keyed.url}/ai-sdk/${id}/messages`, { headers: bearer(keyed.key) });
    const seconds = Number(refused.headers.get('retry-after'));
    expect([refused.status, seconds]).toEqual([429, 1]);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    await page.do('send');
    const { status, messages } = await page.state();
    expect([status, messages.map(({ role }) => role)]).toEqual(['ready', ['user', 'assistant']]);
  });

  it('cannot decide with a key that may not, and the question stays open', async () => {
    const keyed = await servers.accepted(NO_DECISIONS);
    const loaded = async (): Promise<readonly Part[]> => {
      const answer = await fetch(`${keyed.url}/ai-sdk/${id}/messages?sdk=${level}`, { headers: bearer(keyed.key) });
      return ((await answer.json()) as { messages: { parts: Part[] }[] }).messages[1]?.parts ?? [];
    };
    await open(keyed);
    await page.do('send', { text: 'window' });
    const asked = await loaded();
    if (level > 5) {
      const part = asked.find(({ state }) => state === 'approval-requested');
      await page.do('approve', { id: (part?.['approval'] as { id: string }).id, approved: true });
      await page.do('send');
    } else {
      const part = asked.find(({ type }) => type === 'data-approval-request');
      await page.do('send', { body: { answers: [{ interruptId: part?.['id'], approved: true }] } });
    }
    expectRefusal(await page.state(), 'PERMISSION_DENIED');
    expect((await page.state()).error).toContain('approvals:decide');
    expect(await loaded()).toEqual(asked);
  });
});
