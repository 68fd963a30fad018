import OpenAI from 'openai';
import { BrokenStream, identity, type SseBlock, stream, urlOf } from '../../api/client.js';
import { credential } from '../../api/credential.js';
import type { LiveRun } from '../live-run.js';
import type { AnswerTo, Turn, WireClient } from '../wire.js';
import { ResponsesReader } from './responses-events.js';

/** The name of the agent for requests that name none. Any unknown name selects it. */
const DEFAULT_MODEL = 'default';

/** OpenAI Responses over the `openai` SDK, as it is published. A background response survives its stream. */
class ResponsesClient implements WireClient {
  private readonly readers = new WeakMap<LiveRun, ResponsesReader>();

  takes(answers: readonly AnswerTo[]): boolean {
    return answers.every(
      ({ kind, cancel, arguments: edited }) => kind === 'approval' && cancel !== true && edited === undefined,
    );
  }

  send(turn: Turn, run: LiveRun): Promise<void> {
    return knowable(() => this.create(turn, run));
  }

  watch(run: LiveRun): Promise<void> {
    return knowable(() => this.resume(run));
  }

  private async create(turn: Turn, run: LiveRun): Promise<void> {
    const client = this.client(run);
    const conversation = await this.conversation(client, turn, run);
    const stream = await client.responses.create(
      {
        model: turn.agent || DEFAULT_MODEL,
        conversation,
        input: itemsOf(turn) as OpenAI.Responses.ResponseInput,
        tools: turn.tools.map(({ name, description, parameters }) => ({
          type: 'function',
          name,
          description,
          parameters: { ...parameters },
          strict: false,
        })),
        ...(turn.user !== undefined && { user: turn.user }),
        background: true,
        stream: true,
      },
      { signal: run.signal, headers: { 'idempotency-key': turn.runId } },
    );
    await this.read(stream, run);
  }

  private async resume(run: LiveRun): Promise<void> {
    if (run.id?.startsWith('resp_') !== true) return this.watchOther(run);
    const after = typeof run.cursor === 'number' ? { starting_after: run.cursor } : {};
    const options = { signal: run.signal };
    await this.read(await this.client(run).responses.retrieve(run.id ?? '', { stream: true, ...after }, options), run);
  }

  /** A run that another wire has started has no id of this wire; its frames are read where those of all runs are. */
  private async watchOther(run: LiveRun): Promise<void> {
    const after = typeof run.cursor === 'number' ? run.cursor + 1 : 0;
    const path = `runs/${encodeURIComponent(run.id ?? '')}/events`;
    await this.read(eventsOf(stream(path, { query: { protocol: 'responses', after }, signal: run.signal })), run);
  }

  private async read(stream: AsyncIterable<OpenAI.Responses.ResponseStreamEvent>, run: LiveRun): Promise<void> {
    if (run.cursor === undefined) this.readers.delete(run);
    const reader = this.readers.get(run) ?? new ResponsesReader(run);
    this.readers.set(run, reader);
    for await (const event of stream) reader.read(event);
  }

  /** A conversation is a session, whichever wire began it; on this wire only the server can begin one. */
  private async conversation(client: OpenAI, turn: Turn, run: LiveRun): Promise<string> {
    if (turn.isFirst) run.session = (await client.conversations.create({})).id;
    return run.session;
  }

  private client(run: LiveRun): OpenAI {
    return new OpenAI({
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
  }
}

/** The SDK's error for a lost connection has neither a status nor a name of its own. */
async function knowable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof OpenAI.APIConnectionError ? new BrokenStream(error.message) : error;
  }
}

async function* eventsOf(frames: AsyncIterable<SseBlock>): AsyncGenerator<OpenAI.Responses.ResponseStreamEvent> {
  for await (const { data } of frames) {
    if (data !== '[DONE]') yield JSON.parse(data) as OpenAI.Responses.ResponseStreamEvent;
  }
}

function itemsOf({ text, images, results, answers }: Turn): object[] {
  const content = [
    ...images.map(({ url }) => ({ type: 'input_image', image_url: url, detail: 'auto' })),
    ...(text === '' ? [] : [{ type: 'input_text', text }]),
  ];
  return [
    ...answers.map(({ interruptId, approve, reason }) => ({
      type: 'mcp_approval_response',
      approval_request_id: interruptId,
      approve: approve === true,
      ...(reason && { reason }),
    })),
    ...results.map(({ callId, output }) => ({ type: 'function_call_output', call_id: callId, output })),
    ...(content.length === 0 ? [] : [{ type: 'message', role: 'user', content }]),
  ];
}

/** The client of OpenAI Responses. */
export const responses = (): WireClient => new ResponsesClient();
