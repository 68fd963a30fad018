import { json, readSse, request, stream } from '../../api/client.js';
import type { Page, Run } from '../../api/types.js';
import type { LiveRun } from '../live-run.js';
import type { AnswerTo, Turn, WireClient } from '../wire.js';
import { type AgKitEvent, AgKitReader } from './ag-kit-events.js';

/**
 * AG-Kit over `fetch`. Its SDK is made for the vendor's cloud: it asks other origins, which the policy of the page
 * forbids, and is larger than the rest of the console.
 */
class AgKitClient implements WireClient {
  /** The newest run of the session before a turn was sent. */
  private readonly before = new WeakMap<Turn, string | undefined>();

  /** A request answers one interrupt. */
  takes(answers: readonly AnswerTo[]): boolean {
    return answers.length === 1 && answers.every(({ cancel }) => cancel !== true);
  }

  async send(turn: Turn, run: LiveRun): Promise<void> {
    if (await this.hasArrived(turn, run)) return this.watch(run);
    const bot = turn.agent === '' ? '' : `v1/aibot/bots/${encodeURIComponent(turn.agent)}/`;
    const query = { on_disconnect: 'continue' };
    const response = await request(`${bot}send-message`, {
      query,
      body: bodyOf(turn),
      user: turn.user,
      signal: run.signal,
    });
    run.started(response.headers.get('x-run-id'));
    if (response.body) await this.read(readSse(response.body), run);
  }

  async watch(run: LiveRun): Promise<void> {
    run.restart();
    const path = `runs/${encodeURIComponent(run.id ?? '')}/events`;
    await this.read(stream(path, { query: { protocol: 'ag-kit' }, signal: run.signal }), run);
  }

  private async read(frames: ReturnType<typeof stream>, run: LiveRun): Promise<void> {
    const reader = new AgKitReader(run);
    for await (const { data } of frames) {
      if (data === '[DONE]') return reader.end();
      reader.read(JSON.parse(data) as AgKitEvent);
    }
  }

  /**
   * Whether a turn that is sent again has begun a run the first time. On this wire a repeated request is a new one, so
   * the runs of the session are looked at.
   */
  private async hasArrived(turn: Turn, run: LiveRun): Promise<boolean> {
    const newest = await newestRun(turn, run.signal);
    if (!this.before.has(turn)) this.before.set(turn, newest);
    const isNew = newest !== undefined && newest !== this.before.get(turn);
    if (isNew) run.started(newest);
    return isNew;
  }
}

async function newestRun({ session, user }: Turn, signal: AbortSignal): Promise<string | undefined> {
  const { data } = await json<Page<Run>>('api/v1/runs', { query: { session, user, limit: 1 }, signal });
  return data[0]?.id;
}

function bodyOf({ session, text, results, answers, tools }: Turn): object {
  const [answer] = answers;
  const messages = [
    ...results.map(({ callId, output }) => ({ role: 'tool', toolCallId: callId, content: output })),
    ...(text === '' ? [] : [{ role: 'user', content: text }]),
  ];
  return {
    conversationId: session,
    tools,
    ...(messages.length > 0 && { messages }),
    ...(answer && { resume: { interruptId: answer.interruptId, payload: payloadOf(answer) } }),
  };
}

function payloadOf({ kind, approve, reason, arguments: edited, payload }: AnswerTo): unknown {
  if (kind === 'input') return payload;
  return { approved: approve === true, ...(reason && { reason }), ...(edited && { arguments: edited }) };
}

/** The client of AG-Kit. */
export const agKit = (): WireClient => new AgKitClient();
