// A page's chat in a process of its own: the stock client of one version of the AI SDK, driven over stdin and stdout by
// lines of JSON. It is a module, because some versions are, and runs with whatever Node the version needs.
import { createInterface } from 'node:readline';

/** @type {any} */
const sdk = await import(String(process.argv[2]));
/** The chat of a framework, if one is named. @type {any} */
const framework = process.argv[3] && (await import(process.argv[3]));

/** The state of a chat that no framework shows. */
class PlainState {
  /** @param {any[]} messages */
  constructor(messages) {
    this.status = 'ready';
    this.error = undefined;
    this.messages = messages;
  }
  /** @param {any} message */
  pushMessage = (message) => void (this.messages = [...this.messages, message]);
  popMessage = () => void (this.messages = this.messages.slice(0, -1));
  /** @param {number} index @param {any} message */
  replaceMessage = (index, message) =>
    void (this.messages = [
      ...this.messages.slice(0, index),
      structuredClone(message),
      ...this.messages.slice(index + 1),
    ]);
  /** @param {any} value */
  snapshot = (value) => structuredClone(value);
}

class PlainChat extends sdk.AbstractChat {
  /** @param {any} init */
  constructor({ messages = [], ...init }) {
    super({ ...init, state: new PlainState(messages) });
  }
}

/** @type {any} */
let chat;
/** @type {string[]} */
let requests = [];
/** @type {string[]} */
let errors = [];
/** @type {Promise<unknown>} */
let automatic = Promise.resolve();

/** @type {typeof fetch} */
const counting = async (url, init) => {
  requests.push(`${init?.method ?? 'GET'} ${String(url)}`);
  return fetch(url, init);
};

/** @param {any} request */
const last = ({ id, messages, trigger, messageId }) => ({ body: { id, message: messages.at(-1), trigger, messageId } });

/** @type {Record<string, (args: any) => unknown>} */
const OPS = {
  open({ id, api, messages, sendsLast, outputs = {}, body, headers, automaticallyWhen }) {
    requests = [];
    errors = [];
    const transport = new sdk.DefaultChatTransport({
      api,
      fetch: counting,
      ...(body && { body }),
      ...(headers && { headers }),
      ...(sendsLast && { prepareSendMessagesRequest: last }),
    });
    const Chat = framework?.Chat ?? PlainChat;
    chat = new Chat({
      id,
      transport,
      ...(messages && { messages }),
      onError: (/** @type {Error} */ error) => void errors.push(String(error.message)),
      ...(automaticallyWhen && { sendAutomaticallyWhen: sdk[automaticallyWhen] }),
      onToolCall: (/** @type {any} */ { toolCall }) => {
        if (toolCall.dynamic || !(toolCall.toolName in outputs)) return;
        const given = { tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output: outputs[toolCall.toolName] };
        automatic = Promise.resolve((chat.addToolOutput ?? chat.addToolResult)(given));
      },
    });
  },
  send: ({ text, messageId, body }) =>
    chat.sendMessage(text === undefined ? undefined : { text, ...(messageId && { messageId }) }, body && { body }),
  begin: ({ text }) => void chat.sendMessage({ text }).catch(() => undefined),
  regenerate: (options) => chat.regenerate(options),
  resume: () => chat.resumeStream(),
  beginResume: () => void chat.resumeStream().catch(() => undefined),
  stop: () => chat.stop(),
  approve: (answer) => chat.addToolApprovalResponse(answer),
  output: (given) => (chat.addToolOutput ?? chat.addToolResult)(given),
  set: ({ messages }) => void (chat.messages = messages),
  state: () => ({ messages: chat.messages, status: chat.status, error: chat.error?.message, requests, errors }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, args = {} } = JSON.parse(line);
  let answer;
  try {
    const value = await OPS[op]?.(args);
    await automatic;
    answer = { value: value ?? null };
  } catch (error) {
    answer = { error: error instanceof Error ? String(error.stack) : String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
