import { type Query, stream } from '../../api/client.js';
import type { LiveRun } from '../live-run.js';
import type { AnswerTo, Turn, WireClient } from '../wire.js';
import { type AgentApiEvent, AgentApiReader } from './agent-api-events.js';

/** Where a run is read. @param last the last `sequence_number` that is known, from 0; undefined for none */
type Place = (id: string, last: number | undefined) => readonly [path: string, query: Query];

/** Of the wire itself, which has the runs of users whom the credential may act for. */
const OWN: Place = (id, last) => [`process/${id}`, { stream: true, starting_after: last }];
/** Of the routes at which any run that the credential may read is watched. They count the frames that a reader has. */
const WATCHED: Place = (id, last = -1) => [`runs/${id}/events`, { protocol: 'agent-api', after: last + 1 }];

/** The Agent API over `fetch`. It resumes after the last `sequence_number`. */
class AgentApiClient implements WireClient {
  constructor(private readonly place: Place) {}

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
    const last = typeof run.cursor === 'number' ? run.cursor : undefined;
    const [path, query] = this.place(encodeURIComponent(run.id ?? ''), last);
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
export const agentApi = (): WireClient => new AgentApiClient(OWN);

/** Reads runs of others that the credential may read; nothing is sent with it. */
export const review = (): WireClient => new AgentApiClient(WATCHED);
