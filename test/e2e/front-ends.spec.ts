import { type ModelRequest } from '../../src/agent/index.js';
import { finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { jsonFrames } from '../support/sse.js';
import { startServer, type TestServer } from '../support/server.js';

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A chat interface: it keeps the conversation, sends all of it with each message, and looks for models first. */
class FrontEnd {
  readonly messages: Message[] = [];

  constructor(
    private readonly base: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  async models(): Promise<string[]> {
    const answered = await fetch(`${this.base}/models`, { headers: { authorization: 'Bearer any', ...this.headers } });
    return ((await answered.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  }

  async say(content: string): Promise<string> {
    this.messages.push({ role: 'user', content });
    const answer = await this.ask(this.messages, this.headers);
    this.messages.push({ role: 'assistant', content: answer });
    return answer;
  }

  /** A request for a title: of a model of its own, without the headers of the chat. */
  title(): Promise<string> {
    const history = this.messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
    return this.ask([{ role: 'user', content: `### Task: a title for\n${history}` }], {});
  }

  private async ask(messages: readonly Message[], headers: Readonly<Record<string, string>>): Promise<string> {
    const answered = await fetch(`${this.base}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer any', ...headers },
      body: JSON.stringify({ model: 'worker', stream: true, stream_options: { include_usage: true }, messages }),
    });
    expect(answered.status).toBe(200);
    const chunks = jsonFrames(await answered.text()) as { choices: { delta: { content?: string } }[] }[];
    return chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? '')).join('');
  }
}

/** The settings of docs/how-to/open-webui-and-librechat.md. */
describe('chat interfaces', () => {
  let server: TestServer;
  const model = new ScriptedModelClient(({ messages }: ModelRequest) => [text(`Answer ${messages.length}`), finish()]);

  beforeAll(async () => {
    server = await startServer({ model, env: { CHAT_SESSION_HEADERS: 'X-OpenWebUI-Chat-Id,X-Conversation-Id' } });
  });
  afterAll(() => server.close());

  /** Who said what in the session, as its owner reads it. */
  async function session(id: string): Promise<{ user: string; messages: number } | undefined> {
    const answered = await fetch(`${server.url}/api/v1/sessions`);
    const { data } = (await answered.json()) as { data: { id: string; userId: string; messageCount: number }[] };
    const found = data.find((one) => one.id === id);
    return found && { user: found.userId, messages: found.messageCount };
  }

  it('work as they are, with the agents as models, and leave no conversation behind', async () => {
    const front = new FrontEnd(`${server.url}/v1`, {});
    expect(await front.models()).toContain('worker');
    await front.say('one');
    await front.say('two');
    const { messages } = model.requests.at(-1) as ModelRequest;
    expect(messages.filter(({ role }) => role !== 'system')).toHaveLength(3);
    const answered = await fetch(`${server.url}/api/v1/sessions`);
    expect(((await answered.json()) as { data: object[] }).data).toEqual([]);
  });

  it.each([
    ['Open WebUI', { 'X-OpenWebUI-Chat-Id': 'chat-webui', 'X-OpenWebUI-User-Id': 'u1', 'X-User-Id': 'ana' }],
    ['LibreChat', { 'X-Session-Id': 'chat-libre', 'X-User-Id': 'ana' }],
  ])('%s has a durable conversation of its user, in which nothing is repeated', async (_, headers) => {
    const front = new FrontEnd(`${server.url}/v1`, headers);
    for (let turn = 0; turn < 10; turn += 1) await front.say(`turn ${turn}`);
    await front.title();
    const id = Object.values(headers)[0] ?? '';
    expect(await session(id)).toEqual({ user: 'ana', messages: 20 });
  });
});
