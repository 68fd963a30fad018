import { LLMock } from '@copilotkit/aimock';
import type { AgKitEvent } from '../../src/protocol/ag-kit/ag-kit.types.js';
import { AgKitHook } from '../../src/protocol/ag-kit/testing/ag-kit-hook.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { FrameStream } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

const TOOL = {
  name: 'set-bg',
  description: 'Sets the background.',
  parameters: JSON.stringify({ type: 'object', properties: { color: { type: 'string' } } }),
};
const PAUSE_MS = 40;

jest.setTimeout(300_000);

const setBg = (id: string, color: string) => ({ name: 'set-bg', id, arguments: JSON.stringify({ color }) });

describeOnDatabases('a client tool call of AG-Kit whose server is killed', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;
  let upstream: LLMock;
  let asked: Record<string, number>;

  beforeAll(async () => {
    upstream = new LLMock({ port: 0, chunkSize: 4 });
    // The provider gives its calls the same ids when it is asked again, with other arguments.
    const paint = (words: string, first: string[], again: string[]): void => {
      const toolCalls = (): ReturnType<typeof setBg>[] => {
        const colors = (asked[words] = (asked[words] ?? 0) + 1) === 1 ? first : again;
        return colors.map((color, index) => setBg(`${words[0]}${index}`, color));
      };
      const calls = { userMessage: words, hasToolResult: false };
      upstream.on(calls, () => ({ toolCalls: toolCalls() }), { latency: PAUSE_MS });
      upstream.on({ userMessage: words, hasToolResult: true }, { content: 'Painted.' });
    };
    paint('paint it', ['deep dark midnight blue'], ['red']);
    paint('both of them', ['blue', 'deep dark midnight blue'], ['red', 'green']);
    await upstream.start();
    database = await openDatabase();
    server = await ServerProcess.start(database, { LLM_BASE_URL: `${upstream.url}/v1` });
  });
  beforeEach(() => (asked = {}));
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  async function open(path: string, body?: object): Promise<FrameStream> {
    const controller = new AbortController();
    const request = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    return new FrameStream(await fetch(`${server.url}${path}`, { ...request, signal: controller.signal }), controller);
  }

  const eventsOf = ({ frames }: Pick<FrameStream, 'frames'>): AgKitEvent[] => frames as unknown as AgKitEvent[];

  const argumentsIn = (stream: FrameStream): string =>
    eventsOf(stream)
      .map((event) => (event.type === 'tool-call-args' ? event.delta : ''))
      .join('');

  it.each([
    ['paint it', 'in its arguments', 'deep', ['{"color":"red"}']],
    ['both of them', 'when one call is complete', 'blue"}', ['{"color":"red"}', '{"color":"green"}']],
  ])('the call is made and answered once: %s, killed %s', async (words, _, cut, made) => {
    const request = { conversationId: `conversation ${words}`, tools: [TOOL] };
    const first = await open('/send-message', { ...request, messages: [{ role: 'user', content: words }] });
    expect(await first.until((stream) => argumentsIn(stream).includes(cut))).toBe(true);
    await server.kill();
    await first.all();
    const runId = first.response.headers.get('x-run-id') ?? '';
    await server.restart();

    const rest = await open(`/runs/${runId}/events?protocol=ag-kit&after=${first.frames.length}`);
    expect([rest.status, await rest.all().then(() => rest.done)]).toEqual([200, true]);
    const events = [...eventsOf(first), ...eventsOf(rest)];
    const hook = new AgKitHook();
    for (const event of events) hook.read(event);
    expect(hook.toMake.map((id) => hook.calls.get(id)?.args)).toEqual(made);

    const messages = hook.toMake.map((toolCallId) => ({ role: 'tool', toolCallId, content: 'ok' }));
    const answered = await open('/send-message', { ...request, messages });
    await answered.all();
    expect(
      eventsOf(answered)
        .map((event) => (event.type === 'text' ? event.content : event.type))
        .join(''),
    ).toBe('Painted.');
    // The whole conversation of the model knows each call once.
    const { messages: told } = upstream.getRequests().at(-1)?.body as {
      messages: { role: string; tool_calls?: { function: { arguments: string } }[] }[];
    };
    expect(told.flatMap(({ tool_calls: calls }) => calls ?? []).map((call) => call.function.arguments)).toEqual(made);
  });
});
