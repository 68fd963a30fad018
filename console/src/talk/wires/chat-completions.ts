import OpenAI from 'openai';
import { BrokenStream, identity, stream, urlOf } from '../../api/client.js';
import { credential } from '../../api/credential.js';
import type { LiveRun } from '../live-run.js';
import type { AnswerTo, Turn, WireClient } from '../wire.js';
import { APPROVAL_TOOL, CompletionReader, INPUT_TOOL } from './chat-completions-events.js';

type Chunk = OpenAI.ChatCompletionChunk;

/** The name of the agent for requests that name none. Any unknown name selects it. */
const DEFAULT_MODEL = 'default';
/** The functions by which the server asks for decisions: they need a name alone. */
const QUESTIONS = [APPROVAL_TOOL, INPUT_TOOL].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: {} } },
}));

/** OpenAI Chat Completions over the `openai` SDK, as it is published, in a session of the server. */
class ChatCompletionsClient implements WireClient {
  private readonly readers = new WeakMap<LiveRun, CompletionReader>();

  takes(answers: readonly AnswerTo[]): boolean {
    return answers.every(({ cancel }) => cancel !== true);
  }

  async send(turn: Turn, run: LiveRun): Promise<void> {
    try {
      await this.read(await this.create(turn, run), run);
    } catch (error) {
      if (!endsRun(error, run)) throw knowable(error);
    }
  }

  /** This protocol has no request for that: the server shows every run in its frames. */
  async watch(run: LiveRun): Promise<void> {
    const after = typeof run.cursor === 'number' ? run.cursor : 0;
    const path = `runs/${encodeURIComponent(run.id ?? '')}/events`;
    const query = { protocol: 'chat-completions', after };
    const chunks = async function* (): AsyncGenerator<Chunk> {
      for await (const { data } of stream(path, { query, signal: run.signal })) {
        if (data !== '[DONE]') yield JSON.parse(data) as Chunk;
      }
    };
    await this.read(chunks(), run);
  }

  private create(turn: Turn, run: LiveRun): Promise<AsyncIterable<Chunk>> {
    const client = new OpenAI({
      apiKey: credential() ?? 'none',
      baseURL: urlOf('v1').href,
      dangerouslyAllowBrowser: true,
      maxRetries: 0,
      defaultHeaders: identity(),
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        run.started(response.headers.get('x-run-id'));
        return response;
      },
    });
    const tools = turn.tools.map(({ name, description, parameters }) => ({
      type: 'function' as const,
      function: { name, description, parameters: { ...parameters } },
    }));
    return client.chat.completions.create(
      {
        model: turn.agent || DEFAULT_MODEL,
        messages: messagesOf(turn),
        tools: [...tools, ...QUESTIONS],
        ...(turn.user !== undefined && { user: turn.user }),
        stream: true,
      },
      { signal: run.signal, headers: { 'idempotency-key': turn.runId, 'x-session-id': turn.session } },
    );
  }

  private async read(chunks: AsyncIterable<Chunk>, run: LiveRun): Promise<void> {
    if (run.cursor === undefined) this.readers.delete(run);
    const reader = this.readers.get(run) ?? new CompletionReader(run);
    this.readers.set(run, reader);
    for await (const chunk of chunks) reader.read(chunk);
    reader.end();
  }
}

/** The SDK throws the error that ends a stream in place of its last chunk. */
function endsRun(error: unknown, run: LiveRun): boolean {
  if (!(error instanceof OpenAI.APIError) || error instanceof OpenAI.APIConnectionError) return false;
  if (error.status !== undefined || run.id === undefined) return false;
  if (error.code === 'run_canceled') run.finished('cancelled');
  else {
    run.say('error', `${error.message} (${error.code ?? 'error'})`);
    run.finished('failed');
  }
  return true;
}

/** The SDK's error for a lost connection has neither a status nor a name of its own. */
function knowable(error: unknown): unknown {
  return error instanceof OpenAI.APIConnectionError ? new BrokenStream(error.message) : error;
}

/** Only what is new: the session has the rest. Results and decisions come behind the calls that they belong to. */
function messagesOf({ text, images, results, answers }: Turn): OpenAI.ChatCompletionMessageParam[] {
  const calls = [
    ...results.map(({ callId, name, output }) => ({ id: callId, name, output })),
    ...answers.map(({ interruptId, kind, ...answer }) => ({
      id: interruptId,
      name: kind === 'approval' ? APPROVAL_TOOL : INPUT_TOOL,
      output: outputOf(kind, answer),
    })),
  ];
  const made = calls.map(({ id, name }) => ({ id, type: 'function' as const, function: { name, arguments: '{}' } }));
  const parts = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map(({ url }) => ({ type: 'image_url' as const, image_url: { url } })),
  ];
  return [
    ...(made.length === 0 ? [] : [{ role: 'assistant' as const, content: null, tool_calls: made }]),
    ...calls.map(({ id, output }) => ({ role: 'tool' as const, tool_call_id: id, content: output })),
    ...(parts.length === 0 ? [] : [{ role: 'user' as const, content: parts }]),
  ];
}

function outputOf(kind: AnswerTo['kind'], answer: Omit<AnswerTo, 'interruptId' | 'kind'>): string {
  if (kind === 'input') return JSON.stringify(answer.payload ?? null);
  const { approve, reason, arguments: edited } = answer;
  return JSON.stringify({
    approved: approve === true,
    ...(reason && { reason }),
    ...(edited !== undefined && { arguments: edited }),
  });
}

/** The client of OpenAI Chat Completions. */
export const chatCompletions = (): WireClient => new ChatCompletionsClient();
