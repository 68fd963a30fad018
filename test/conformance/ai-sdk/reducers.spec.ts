import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageReducer } from '../../../src/protocol/ai-sdk/message-reducer.js';
import type { Chunk, Level } from '../../../src/protocol/ai-sdk/chunk.types.js';
import { comparableMessages } from '../../support/chats.js';
import { GOLDEN_CLIENT_OUTPUT } from '../../support/golden.js';
import { jsonFrames } from '../../support/sse.js';
import type { PageMessage, Part } from '../../support/ui-chat.js';

const FOLDER = join(__dirname, '../../contract/golden/ai-sdk');
/** The versions of `ai` that this Node can load, by the level that fits them. Version 7 is in `clients.spec.ts`. */
const VERSIONS: readonly (readonly [module: string, level: Level])[] = [
  ['ai5-first', 5],
  ['ai5', 5],
  ['ai6-first', 6],
  ['ai', 6],
];
const HELPERS = ['lastAssistantMessageIsCompleteWithToolCalls', 'lastAssistantMessageIsCompleteWithApprovalResponses'];

/** What the test uses of a version. */
interface Sdk {
  readonly DefaultChatTransport: new (options: { fetch: typeof fetch }) => {
    sendMessages(options: object): Promise<ReadableStream<Chunk>>;
  };
  readUIMessageStream(options: { message?: PageMessage; stream: ReadableStream<Chunk> }): AsyncIterable<PageMessage>;
  readonly [helper: string]: unknown;
}

const textOf = (level: Level, file: string): string =>
  readFileSync(join(FOLDER, level === 6 ? '' : `level-${level}`, file), 'utf8');

/** What the page has decided between two streams, as the SDK's chat writes it into its message. */
function decided(message: PageMessage, approvedBy: string): PageMessage {
  const parts = message.parts.map((part): Part => {
    if (part.type === 'tool-show_map') return { ...part, state: 'output-available', output: GOLDEN_CLIENT_OUTPUT };
    if (part['state'] !== 'approval-requested') return part;
    const { id } = part['approval'] as { id: string };
    return { ...part, state: 'approval-responded', approval: { id, approved: approvedBy === 'approved' } };
  });
  return { ...message, parts };
}

/** The messages that clients build of a stream are those that they load (contract ui-message-stream, section B1). */
describe.each(VERSIONS)('the reader of %s, at level %d', (module, level) => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const sdk = require(module) as Sdk;

  /** The message after a stream, by the client's own transport, which validates each chunk, and its own reducer. */
  async function read(text: string, message?: PageMessage): Promise<PageMessage> {
    const answer = () => Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } }));
    const transport = new sdk.DefaultChatTransport({ fetch: answer });
    const stream = await transport.sendMessages({ chatId: 's1', messages: [], trigger: 'submit-message' });
    let last: PageMessage | undefined;
    for await (const one of sdk.readUIMessageStream({ ...(message && { message }), stream })) last = one;
    if (!last) throw new Error('The stream has no message');
    return last;
  }

  const scenarios = readdirSync(FOLDER)
    .filter((file) => /^[a-z-]+\.sse$/.test(file))
    .map((file) => file.replace('.sse', ''));

  it.each(scenarios)('%s', async (scenario) => {
    const first = textOf(level, `${scenario}.sse`);
    const chunks = jsonFrames(first) as unknown as Chunk[];
    const id = String((chunks[0] as { messageId?: string }).messageId);
    const own = new MessageReducer(id, level);
    own.take(chunks);
    let theirs = await read(first);
    expect(comparableMessages([own.message()], module)).toEqual(comparableMessages([theirs], module));

    const goesOn = readdirSync(FOLDER).includes(`${scenario}.2.sse`);
    if (goesOn) {
      const approvedBy = scenario === 'denied' ? 'denied' : 'approved';
      const asked = decided(theirs, approvedBy);
      const second = textOf(level, `${scenario}.2.sse`);
      theirs = await read(second, asked);
      for (const part of asked.parts) {
        const { id: approvalId } = (part['approval'] ?? {}) as { id?: string };
        if (approvalId !== undefined) own.decide({ approvalId, approved: approvedBy === 'approved' });
        if (part.type === 'tool-show_map') {
          own.take([
            { type: 'tool-output-available', toolCallId: String(part['toolCallId']), output: GOLDEN_CLIENT_OUTPUT },
          ]);
        }
      }
      own.take(jsonFrames(second) as unknown as Chunk[]);
      expect(comparableMessages([own.message()], module)).toEqual(comparableMessages([theirs], module));
    }
    // Nothing is sent again by itself.
    for (const name of HELPERS) {
      const helper = sdk[name] as ((state: { messages: readonly PageMessage[] }) => boolean) | undefined;
      expect([name, helper?.({ messages: [theirs] }) ?? false]).toEqual([name, false]);
    }
  });
});
