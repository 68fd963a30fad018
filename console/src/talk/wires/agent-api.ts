import { stream } from '../../api/client.js';
import type { LiveRun } from '../live-run.js';
import type { AnswerTo, Turn, WireClient } from '../wire.js';
import { type AgentApiEvent, AgentApiReader } from './agent-api-events.js';

/** The Agent API over `fetch`. It resumes after the last `sequence_number`. */
class AgentApiClient implements WireClient {
  takes(answers: readonly AnswerTo[]): boolean {
    return answers.every(({ kind, cancel }) => kind === 'approval' && cancel !== true);
  }

  private readonly readers = new WeakMap<LiveRun, AgentApiReader>();

  async send(turn: Turn, run: LiveRun): Promise<void> {
    const body = {
      id: turn.runId,
      session_id: turn.session,
      ...(turn.user !== undefined && { user_id: turn.user }),
      input: messagesOf(turn),
      tools: turn.tools.map((tool) => ({ type: 'function', function: tool })),
    };
    await this.read(stream('process', { body, user: turn.user, signal: run.signal }), run);
  }

  async watch(run: LiveRun): Promise<void> {
    const path = `process/${encodeURIComponent(run.id ?? '')}`;
    const query = { stream: true, ...(typeof run.cursor === 'number' && { starting_after: run.cursor }) };
    await this.read(stream(path, { query, signal: run.signal }), run);
  }

  private async read(frames: ReturnType<typeof stream>, run: LiveRun): Promise<void> {
    if (run.cursor === undefined) this.readers.delete(run);
    const reader = this.readers.get(run) ?? new AgentApiReader(run);
    this.readers.set(run, reader);
    for await (const { data } of frames) if (data !== '[DONE]') reader.read(JSON.parse(data) as AgentApiEvent);
  }
}

/** The messages of a turn. */
function messagesOf({ text, images, results, answers }: Turn): object[] {
  const contents = [
    ...images.map(({ url }) => ({ type: 'image', image_url: url })),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ];
  return [
    ...answers.map(approvalMessage),
    ...results.map(({ callId, name, output }) =>
      dataMessage('function_call_output', 'tool', { call_id: callId, name, output }),
    ),
    ...(contents.length === 0 ? [] : [{ role: 'user', type: 'message', content: contents }]),
  ];
}

function approvalMessage({ interruptId, approve, reason, arguments: edited }: AnswerTo): object {
  return dataMessage('mcp_approval_response', 'user', {
    approval_request_id: interruptId,
    approve: approve === true,
    ...(reason && { reason }),
    ...(edited && { edited_arguments: edited }),
  });
}

function dataMessage(type: string, role: string, data: object): object {
  return { type, role, content: [{ type: 'data', data }] };
}

/** The client of the Agent API. */
export const agentApi = (): WireClient => new AgentApiClient();
