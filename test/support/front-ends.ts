import { ChatOpenAI } from '@langchain/openai';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { jsonFrames } from './sse.js';

/** Headers as a front end is told them, with its placeholders. */
export type HeaderTemplates = Readonly<Record<string, string>>;

/** A connection of a front end to a server. */
export interface Connection {
  /** The address with its `/v1`. */
  readonly base: string;
  readonly key: string;
  readonly headers: HeaderTemplates;
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

interface Chunk {
  readonly choices?: readonly { readonly delta: { readonly content?: string; readonly reasoning_content?: string } }[];
  readonly event?: { readonly type: string; readonly data: { readonly description: string; readonly done: boolean } };
  readonly usage?: { readonly total_tokens: number } | null;
}

/** What a front end shows of an answer. */
export interface ShownAnswer {
  readonly text: string;
  readonly thoughts: string;
  readonly statuses: readonly string[];
  readonly tokens: number;
}

/** Fills placeholders; what is not known is empty. */
function filled(templates: HeaderTemplates, values: Readonly<Record<string, string>>): Record<string, string> {
  const fill = (text: string): string => text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
  return Object.fromEntries(Object.entries(templates).map(([name, text]) => [name, fill(text)]));
}

async function modelsOf(connection: Connection, values: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${connection.key}`, ...filled(connection.headers, values) };
  const answered = await fetch(`${connection.base}/models`, { headers });
  return ((await answered.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

/**
 * A chat of Open WebUI, on the wire: it keeps the conversation and sends all of it with each message, and asks for a
 * title, tags and further questions after an answer.
 */
export class OpenWebUi {
  readonly messages: Message[] = [];

  /** @param tasks the connection of its task model; default: the same, with the headers of the chat */
  constructor(
    private readonly chatId: string,
    private readonly userId: string,
    private readonly connection: Connection,
    private readonly tasks: Connection = connection,
  ) {}

  /** What it looks for when the connection is checked, outside of any chat. */
  models(): Promise<readonly string[]> {
    return modelsOf(this.connection, { USER_ID: this.userId });
  }

  async say(content: string): Promise<ShownAnswer> {
    this.messages.push({ role: 'user', content });
    return this.answer();
  }

  /** Asks for the last answer again: without it, and with the same message. */
  regenerate(): Promise<ShownAnswer> {
    this.messages.pop();
    return this.answer();
  }

  /** Begins an answer, and closes the connection when it has said something. */
  async sayAndStop(content: string): Promise<void> {
    this.messages.push({ role: 'user', content });
    const leaving = new AbortController();
    const answered = await this.post(this.connection, { ...this.body(), stream: true }, leaving.signal);
    const pieces = (answered.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
    let text = '';
    for await (const piece of pieces) if ((text += piece).includes('"content":"a"')) break;
    expect(text).toContain('"content":"a"');
    leaving.abort();
  }

  /** Its requests for a title, tags and further questions. */
  async runTasks(): Promise<void> {
    const history = this.messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
    for (const task of ['Generate a title', 'Generate 1-3 tags', 'Suggest 3-5 follow-up questions']) {
      const messages = [{ role: 'user', content: `### Task:\n${task}\n<chat_history>\n${history}\n</chat_history>` }];
      const answered = await this.post(this.tasks, { model: 'worker', messages, stream: false, max_tokens: 1000 });
      expect(answered.status).toBe(200);
      await answered.text();
    }
  }

  private body(): object {
    return { model: 'worker', messages: this.messages, stream_options: { include_usage: true } };
  }

  private async answer(): Promise<ShownAnswer> {
    const answered = await this.post(this.connection, { ...this.body(), stream: true });
    expect(answered.status).toBe(200);
    const chunks = jsonFrames(await answered.text()) as Chunk[];
    const deltas = chunks.flatMap(({ choices = [] }) => choices.map(({ delta }) => delta));
    const text = deltas.map(({ content = '' }) => content).join('');
    this.messages.push({ role: 'assistant', content: text });
    return {
      text,
      thoughts: deltas.map(({ reasoning_content: thought = '' }) => thought).join(''),
      statuses: chunks.flatMap(({ event }) => (event?.type === 'status' ? [event.data.description] : [])),
      tokens: chunks.find(({ usage }) => usage)?.usage?.total_tokens ?? 0,
    };
  }

  private post({ base, key, headers }: Connection, body: object, signal?: AbortSignal): Promise<Response> {
    const values = { CHAT_ID: this.chatId, USER_ID: this.userId };
    return fetch(`${base}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...filled(headers, values) },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  }
}

/** A chat of LibreChat, which asks with the client of LangChain and names its user in the body, too. */
export class LibreChat {
  private readonly messages: (HumanMessage | AIMessage)[] = [];
  private readonly values: Readonly<Record<string, string>>;

  constructor(
    conversationId: string,
    private readonly userId: string,
    private readonly connection: Connection,
  ) {
    this.values = { LIBRECHAT_BODY_CONVERSATIONID: conversationId, LIBRECHAT_USER_ID: userId };
  }

  /** What `fetch: true` looks for, outside of any conversation. */
  models(): Promise<readonly string[]> {
    return modelsOf(this.connection, { LIBRECHAT_USER_ID: this.userId });
  }

  async say(content: string): Promise<string> {
    this.messages.push(new HumanMessage(content));
    const { base, key, headers } = this.connection;
    const chat = new ChatOpenAI({
      model: 'worker',
      apiKey: key,
      user: this.userId,
      streamUsage: true,
      configuration: { baseURL: base, defaultHeaders: filled(headers, this.values) },
    });
    let text = '';
    for await (const chunk of await chat.stream(this.messages)) text += chunk.text;
    this.messages.push(new AIMessage(text));
    return text;
  }
}
