import { DefaultChatTransport, type UIMessage, type UIMessageChunk } from 'ai';
import { BrokenStream, ParleyError, identity, stream, urlOf } from '../../api/client.js';
import type { LiveRun } from '../live-run.js';
import type { AnswerTo, Turn, WireClient } from '../wire.js';
import { UiMessageReader } from './ai-sdk-events.js';

/** The AI SDK over its own transport, as it is published. */
class AiSdkClient implements WireClient {
  private readonly readers = new WeakMap<LiveRun, UiMessageReader>();
  /** The ids of the last answers, by session: a continuation is part of the same message. */
  private readonly answers = new Map<string, string>();

  /** Arguments cannot be edited on this wire. */
  takes(answers: readonly AnswerTo[]): boolean {
    return answers.every(({ cancel, arguments: edited }) => cancel !== true && edited === undefined);
  }

  async send(turn: Turn, run: LiveRun): Promise<void> {
    const transport = new DefaultChatTransport({
      api: urlOf(turn.agent ? `ai-sdk/agents/${encodeURIComponent(turn.agent)}` : 'ai-sdk').href,
      headers: identity(turn.user),
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if (!response.ok) throw await ParleyError.of(response);
        run.started(response.headers.get('x-run-id'));
        return response;
      },
    });
    const chunks = await transport.sendMessages({
      chatId: turn.session,
      messages: [this.messageOf(turn)],
      trigger: 'submit-message',
      messageId: undefined,
      abortSignal: run.signal,
      body: bodyOf(turn),
    });
    await this.read(turn.session, chunksOf(chunks), run);
  }

  /** The server shows every run in the frames of this protocol, from any place. */
  async watch(run: LiveRun): Promise<void> {
    const after = typeof run.cursor === 'number' ? run.cursor : 0;
    const query = { protocol: 'ai-sdk', after };
    const path = `runs/${encodeURIComponent(run.id ?? '')}/events`;
    const chunks = async function* (): AsyncGenerator<UIMessageChunk> {
      for await (const { data } of stream(path, { query, signal: run.signal })) {
        if (data !== '[DONE]') yield JSON.parse(data) as UIMessageChunk;
      }
    };
    await this.read(run.session, chunks(), run);
  }

  private async read(session: string, chunks: AsyncIterable<UIMessageChunk>, run: LiveRun): Promise<void> {
    if (run.cursor === undefined) this.readers.delete(run);
    const reader = this.readers.get(run) ?? new UiMessageReader(run);
    this.readers.set(run, reader);
    for await (const chunk of chunks) {
      if (chunk.type === 'start' && chunk.messageId !== undefined) this.answers.set(session, chunk.messageId);
      reader.read(chunk);
    }
    // The transport takes a lost connection for the end.
    if (run.end === undefined && !run.signal.aborted) throw new BrokenStream('The stream ended before the answer');
  }

  /** What the person says, or the results of the page's own calls. */
  private messageOf({ session, runId, text, images, results, answers }: Turn): UIMessage {
    if (results.length > 0 || answers.length > 0) {
      const parts = results.map(({ callId: toolCallId, name, output }) => ({
        type: `tool-${name}` as const,
        toolCallId,
        state: 'output-available' as const,
        input: {},
        output,
      }));
      return { id: this.answers.get(session) ?? runId, role: 'assistant', parts };
    }
    const said = text === '' ? [] : [{ type: 'text' as const, text }];
    const shown = images.map(({ url, mimeType: mediaType }) => ({ type: 'file' as const, url, mediaType }));
    return { id: runId, role: 'user', parts: [...said, ...shown] };
  }
}

function bodyOf({ tools, answers }: Turn): object {
  const declared = tools.map(({ name, description, parameters: inputSchema }) => ({ name, description, inputSchema }));
  const given = answers.map(({ interruptId, approve: approved, reason, payload }) => ({
    interruptId,
    approved,
    reason,
    payload,
  }));
  return { tools: declared, ...(given.length > 0 && { answers: given }) };
}

async function* chunksOf(chunks: ReadableStream<UIMessageChunk>): AsyncGenerator<UIMessageChunk> {
  const reader = chunks.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) yield step.value;
}

/** The client of the AI SDK. */
export const aiSdk = (): WireClient => new AiSdkClient();
