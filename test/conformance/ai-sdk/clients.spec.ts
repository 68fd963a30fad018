import type { ModelRequest } from '../../../src/agent/index.js';
import {
  call,
  finish,
  reasoning,
  ScriptedModelClient,
  type ScriptStep,
  text,
} from '../../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../../src/common/index.js';
import { GoldenTools } from '../../support/golden.js';
import { comparableMessages } from '../../support/chats.js';
import { startServer, type TestServer } from '../../support/server.js';
import { type PageMessage, type PageState, SDK_VERSIONS, UiChat } from '../../support/ui-chat.js';
import { until } from '../../support/until.js';

const TOOLS = { show_map: { inputSchema: { type: 'object', properties: { place: { type: 'string' } } } } };

/** Called where a script says so, once. */
let pause: () => Promise<void> = () => Promise.resolve();

/** The answers of the model, by what the user says last. */
function answer({ messages }: ModelRequest): readonly ScriptStep[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const said = JSON.stringify(messages[at]);
  const results = messages.slice(at).filter(({ role }) => role === 'tool').length;
  if (said.includes('fail')) return [text('It is '), { type: 'throw', error: new AppError('MODEL_EXECUTION_FAILED') }];
  if (said.includes('hold')) return [text('Once '), { type: 'do', action: () => pause() }, text('upon'), finish()];
  if (said.includes('thermometer') && results === 0) {
    return [text('Looking.'), call(0, 'read_thermometer', '{"city":"Paris"}', `call_${at}`), finish('tool-calls')];
  }
  if (said.includes('quiet') && results > 0) return [finish()];
  if (said.includes('broken') && results > 0) {
    return [{ type: 'throw', error: new AppError('MODEL_EXECUTION_FAILED') }];
  }
  if (said.includes('halt')) {
    return [
      call(0, 'show_map', '{"place":"Paris"}', `call_${at}`),
      text('Wait'),
      { type: 'do', action: () => pause() },
      finish('tool-calls'),
    ];
  }
  if (said.includes('fault') && results === 0) {
    return [call(0, 'break_thermometer', '{"city":"Paris"}', `call_${at}`), finish('tool-calls')];
  }
  if (said.includes('windows') && results === 0) {
    return [
      call(0, 'open_window', '{"room":"hall"}', `call_a${at}`),
      call(1, 'open_window', '{"room":"attic"}', `call_b${at}`),
      finish('tool-calls'),
    ];
  }
  if (said.includes('map') && results === 0) {
    return [call(0, 'show_map', '{"place":"Paris"}', `call_${at}`), finish('tool-calls')];
  }
  if (said.includes('window') && results === 0) {
    return [text('May I? '), call(0, 'open_window', '{"room":"kitchen"}', `call_${at}`), finish('tool-calls')];
  }
  if (said.includes('both') && results === 0) {
    return [
      call(0, 'open_window', '{"room":"hall"}', `call_w${at}`),
      call(1, 'show_map', '{"place":"Rome"}', `call_m${at}`),
      finish('tool-calls'),
    ];
  }
  if (said.includes('think')) return [reasoning('Hm. '), text('It is '), text('fine.'), finish()];
  return [text(`${messages.filter(({ role }) => role === 'user').length} said.`), finish()];
}

const words = ({ parts }: PageMessage): string =>
  parts.map((part) => (part.type === 'text' ? part['text'] : '')).join('');

/** Stock clients with their defaults but for the address (contract ui-message-stream, section A5). */
describe.each(SDK_VERSIONS)('the client of ai $title', (version) => {
  const { level } = version;
  let server: TestServer;
  let model: ScriptedModelClient;
  let page: UiChat;
  let chats = 0;
  let id = '';

  beforeAll(async () => {
    model = new ScriptedModelClient(answer);
    server = await startServer({
      model,
      providers: [GoldenTools],
      env: { AI_SDK_REPLAY_WINDOW_MS: '0', AI_SDK_LEVEL: String(level) },
    });
    page = await UiChat.start(version);
  });
  beforeEach(() => (id = `chat-${(chats += 1)}`));
  afterAll(async () => {
    page.close();
    await server.close();
  });

  const open = (options: object = {}): Promise<unknown> =>
    page.open({ id, api: `${server.url}/ai-sdk`, body: { tools: TOOLS }, ...options });
  const loaded = async (): Promise<readonly PageMessage[]> => {
    const answered = await fetch(`${server.url}/ai-sdk/${id}/messages`);
    return ((await answered.json()) as { messages: PageMessage[] }).messages;
  };
  /** The first version forgets who makes a call. */
  const same = (messages: readonly PageMessage[]): unknown =>
    comparableMessages(messages, version.title === '5.0.0' ? 'ai5-first' : '');
  /** What the page shows is what it would load. */
  const shown = async (): Promise<PageState> => {
    const state = await page.state();
    expect(state.errors).toEqual([]);
    expect(state.status).toBe('ready');
    expect(same(await loaded())).toEqual(same(state.messages));
    return state;
  };

  it('shows an answer as the server stores it, whether it sends all messages or the last one', async () => {
    await open();
    await page.do('send', { text: 'hello' });
    await open({ messages: (await page.state()).messages, sendsLast: true });
    await page.do('send', { text: 'think' });
    const { messages, requests } = await shown();
    expect(messages.map(words)).toEqual(['hello', '1 said.', 'think', 'It is fine.']);
    expect(requests).toHaveLength(1);
  });

  it('shows calls of the server, and sends nothing by itself', async () => {
    await open({ automaticallyWhen: 'lastAssistantMessageIsCompleteWithToolCalls' });
    await page.do('send', { text: 'thermometer' });
    const { messages, requests } = await shown();
    expect(messages[1]?.parts).toContainEqual(
      expect.objectContaining({
        type: 'dynamic-tool',
        state: 'output-available',
        output: { city: 'Paris', celsius: 21 },
      }),
    );
    expect(requests).toHaveLength(1);
  });

  it('makes its own calls, and sends their outputs once', async () => {
    await open({
      outputs: { show_map: { shown: true } },
      automaticallyWhen: 'lastAssistantMessageIsCompleteWithToolCalls',
    });
    await page.do('send', { text: 'map' });
    await until(async () => (await page.state()).messages.at(-1)?.parts.some(({ type }) => type === 'text') === true);
    await until(async () => (await page.state()).status === 'ready');
    const { messages, requests } = await shown();
    expect(requests).toHaveLength(2);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(messages[1]?.parts).toContainEqual(
      expect.objectContaining({ type: 'tool-show_map', state: 'output-available', output: { shown: true } }),
    );
  });

  it.each([true, false])('decides an approval with %s, and sends it once', async (approved) => {
    const helper = 'lastAssistantMessageIsCompleteWithApprovalResponses';
    await open(level > 5 ? { automaticallyWhen: helper } : {});
    await page.do('send', { text: 'window' });
    const asked = await shown();
    if (level > 5) {
      const part = asked.messages[1]?.parts.find(({ state }) => state === 'approval-requested');
      await page.do('approve', { id: (part?.['approval'] as { id: string }).id, approved });
      await until(async () => (await page.state()).messages.at(-1)?.parts.at(-1)?.type === 'text');
      await until(async () => (await page.state()).status === 'ready');
    } else {
      const part = asked.messages[1]?.parts.find(({ type }) => type === 'data-approval-request');
      await page.do('send', { body: { answers: [{ interruptId: part?.['id'], approved }] } });
    }
    const { messages, requests } = await shown();
    expect(requests).toHaveLength(2);
    const states = messages[1]?.parts.map(({ state }) => state);
    expect(states).toContain(approved ? 'output-available' : level > 5 ? 'output-denied' : 'output-error');
    expect(messages.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: '1 said.' });
  });

  it('answers an approval and a call of its own in one request', async () => {
    if (level === 5) return;
    await open({ automaticallyWhen: 'lastAssistantMessageIsCompleteWithToolCalls' });
    await page.do('send', { text: 'both' });
    const parts = (await page.state()).messages[1]?.parts ?? [];
    const asked = parts.find(({ state }) => state === 'approval-requested');
    const own = parts.find(({ type }) => type === 'tool-show_map');
    await page.do('approve', { id: (asked?.['approval'] as { id: string }).id, approved: true });
    await page.do('output', { tool: 'show_map', toolCallId: own?.['toolCallId'], output: 'shown' });
    if ((await page.state()).requests.length === 1) await page.do('send');
    await until(async () => (await page.state()).messages.at(-1)?.parts.at(-1)?.type === 'text');
    await until(async () => (await page.state()).status === 'ready');
    const { messages, requests } = await shown();
    expect(requests.length).toBeLessThanOrEqual(3);
    expect(messages[1]?.parts.filter(({ state }) => state === 'output-available')).toHaveLength(2);
  });

  it.each(['quiet map', 'broken map'])(
    'sends the output of its call once, although nothing follows (%s)',
    async (said) => {
      await open({
        outputs: { show_map: { shown: true } },
        automaticallyWhen: 'lastAssistantMessageIsCompleteWithToolCalls',
      });
      await page.do('send', { text: said });
      const isDone = async (): Promise<boolean> => {
        const { status, requests } = await page.state();
        return requests.length > 1 && (status === 'ready' || status === 'error');
      };
      await until(isDone);
      // Whatever else it would have sent has come before.
      await page.do('send', { text: 'hello' });
      const { requests, messages } = await page.state();
      expect(requests).toHaveLength(3);
      expect(same(await loaded())).toEqual(same(messages));
    },
  );

  it('sends nothing by itself when its call is closed with the run', async () => {
    await open({ automaticallyWhen: 'lastAssistantMessageIsCompleteWithToolCalls' });
    pause = () => new Promise(() => undefined);
    await page.do('begin', { text: 'halt' });
    await until(async () => JSON.stringify((await page.state()).messages).includes('Wait'));
    await fetch(`${server.url}/ai-sdk/${id}/stop`, { method: 'POST' });
    await until(async () => (await page.state()).status === 'ready');
    await page.do('send', { text: 'hello' });
    const { requests } = await shown();
    expect(requests).toHaveLength(2);
  });

  it('shows a call of the server that fails, and sends nothing by itself', async () => {
    await open({ automaticallyWhen: 'lastAssistantMessageIsCompleteWithToolCalls' });
    await page.do('send', { text: 'fault' });
    const { messages, requests } = await shown();
    expect(messages[1]?.parts).toContainEqual(expect.objectContaining({ state: 'output-error' }));
    expect(requests).toHaveLength(1);
  });

  it('decides two approvals in one request', async () => {
    if (level === 5) return;
    await open({ automaticallyWhen: 'lastAssistantMessageIsCompleteWithApprovalResponses' });
    await page.do('send', { text: 'windows' });
    const asked = (await shown()).messages[1]?.parts.flatMap(({ approval }) => (approval ? [approval] : [])) ?? [];
    expect(asked).toHaveLength(2);
    for (const [at, approval] of asked.entries()) {
      await page.do('approve', { id: (approval as { id: string }).id, approved: at === 0 });
    }
    await until(async () => (await page.state()).messages.at(-1)?.parts.at(-1)?.type === 'text');
    await until(async () => (await page.state()).status === 'ready');
    const { messages, requests } = await shown();
    expect(requests).toHaveLength(2);
    const states = messages[1]?.parts.flatMap(({ state, type }) => (type === 'dynamic-tool' ? [state] : []));
    expect(states).toEqual(['output-available', 'output-denied']);
  });

  it('generates an answer again, and edits a question', async () => {
    await open();
    await page.do('send', { text: 'first' });
    await page.do('send', { text: 'second' });
    await page.do('regenerate');
    expect((await shown()).messages.map(words)).toEqual(['first', '1 said.', 'second', '2 said.']);
    const [question] = (await page.state()).messages;
    await page.do('send', { text: 'other', messageId: question?.id });
    expect((await shown()).messages.map(words)).toEqual(['other', '1 said.']);
  });

  it('shows a run that fails as its error', async () => {
    await open();
    await page.do('send', { text: 'fail' });
    const { status, error, messages } = await page.state();
    expect({ status, error }).toEqual({ status: 'error', error: 'The model call failed' });
    expect(comparableMessages(await loaded())).toEqual(comparableMessages(messages));
  });

  it('resumes an answer in progress after a reload', async () => {
    // The page that is loaded later: it must not take long then, see `Turns.isQuiet`.
    const other = await UiChat.start(version);
    await other.state().catch(() => undefined);
    let go = (): void => undefined;
    pause = () => new Promise((resolve) => (go = resolve));
    await open();
    await page.do('begin', { text: 'hold' });
    await until(async () => JSON.stringify((await page.state()).messages).includes('Once'));
    try {
      await other.open({ id, api: `${server.url}/ai-sdk`, messages: await loaded() });
      await other.do('beginResume');
      await until(async () => JSON.stringify((await other.state()).messages).includes('Once'));
      const { activeRunId } = (await (await fetch(`${server.url}/ai-sdk/${id}/messages`)).json()) as {
        activeRunId: string | null;
      };
      expect(activeRunId).not.toBeNull();
      go();
      await until(async () => (await other.state()).status === 'ready');
      expect((await other.state()).messages.map(words)).toEqual(['hold', 'Once upon']);
      await until(async () => (await page.state()).status === 'ready');
      expect(comparableMessages((await page.state()).messages)).toEqual(
        comparableMessages((await other.state()).messages),
      );
    } finally {
      other.close();
    }
  });

  it('finds nothing to resume in a chat that nobody has heard of', async () => {
    await open();
    // The first version never notices that there is nothing.
    if (version.title === '5.0.0') return;
    await page.do('resume');
    expect(await page.state()).toMatchObject({ status: 'ready', errors: [], messages: [] });
  });
});
