import { readSse, request, type SseBlock, stream } from '../../api/client.js';
import { isObject } from '../../lib/format.js';
import type { LiveRun } from '../live-run.js';
import type { AnswerTo, Turn, WireClient } from '../wire.js';
import { A2aReader, isDecidedElsewhere, PROGRESS } from './a2a-events.js';

const CLIENT_TOOLS = 'urn:parley:a2a:client-tools:v1';
/** Of every request: the version, and what the page understands beyond it. */
const HEADERS = { 'a2a-version': '1.0', 'a2a-extensions': [CLIENT_TOOLS, PROGRESS].join(', ') };

/**
 * A2A 1.0 over `fetch`, by its REST binding. The SDK for it shows no ids of frames, with which a stream is continued
 * exactly where it broke.
 */
class A2aClient implements WireClient {
  /** The tasks of runs that this page has begun, and their readers. */
  private readonly tasks = new WeakMap<LiveRun, { readonly id: string; readonly reader: A2aReader }>();

  takes(answers: readonly AnswerTo[], session: string): boolean {
    return !isDecidedElsewhere(session) || answers.every(({ kind }) => kind !== 'approval');
  }

  async send(turn: Turn, run: LiveRun): Promise<void> {
    const agent = turn.agent === '' ? '' : `agents/${encodeURIComponent(turn.agent)}/`;
    const response = await request(`a2a/${agent}message:stream`, {
      body: { message: messageOf(turn) },
      headers: { ...HEADERS, 'idempotency-key': turn.runId },
      user: turn.user,
      signal: run.signal,
    });
    run.started(response.headers.get('x-run-id'));
    if (response.body) await this.read(readSse(response.body), run, new A2aReader(run));
  }

  /** A run that this page has begun goes on behind its last frame; any other is read where those of all runs are. */
  async watch(run: LiveRun): Promise<void> {
    const task = this.tasks.get(run);
    const { signal } = run;
    if (task && typeof run.cursor === 'string') {
      const headers = { ...HEADERS, 'last-event-id': run.cursor };
      const path = `a2a/tasks/${encodeURIComponent(task.id)}:subscribe`;
      return this.read(stream(path, { headers, signal }), run, task.reader);
    }
    run.restart();
    const path = `runs/${encodeURIComponent(run.id ?? '')}/events`;
    const reader = new A2aReader(run);
    for await (const { data } of stream(path, { query: { protocol: 'a2a' }, signal })) reader.read(frameOf(data));
  }

  private async read(frames: AsyncIterable<SseBlock>, run: LiveRun, reader: A2aReader): Promise<void> {
    let isFirst = true;
    for await (const { id, data } of frames) {
      const frame = frameOf(data);
      const { task } = frame;
      // A stream that goes on begins with what the page has already.
      const isKnown = isFirst && isObject(task) && run.cursor !== undefined;
      isFirst = false;
      if (isObject(task) && typeof task['id'] === 'string') this.tasks.set(run, { id: task['id'], reader });
      if (isKnown) run.received();
      else reader.read(frame);
      run.cursor = id ?? run.cursor;
      // A stream of a task stays open while it waits for an answer.
      if (run.end !== undefined) return;
    }
    reader.end();
  }
}

function frameOf(data: string): Readonly<Record<string, unknown>> {
  const frame: unknown = JSON.parse(data);
  return isObject(frame) ? frame : {};
}

/** The same message whenever it is sent again: the server knows it by its id. */
function messageOf({ runId, session, text, images, results, answers, tools }: Turn): object {
  return {
    messageId: runId,
    contextId: session,
    role: 'ROLE_USER',
    parts: [
      ...answers.map((answer) => ({ data: answerData(answer) })),
      ...results.map(({ callId, output }) => ({ data: { type: 'tool_result', callId, output } })),
      ...images.map(({ url, mimeType }) => ({ url, mediaType: mimeType })),
      ...(text === '' ? [] : [{ text }]),
    ],
    metadata: { [CLIENT_TOOLS]: { tools } },
  };
}

function answerData({ interruptId: id, kind, approve, reason, arguments: edited, payload, cancel }: AnswerTo): object {
  if (cancel) return { type: 'cancel', id };
  if (kind === 'input') return { type: 'input', id, value: payload ?? null };
  return {
    type: 'approval',
    id,
    approved: approve === true,
    ...(reason && { reason }),
    ...(edited && { arguments: edited }),
  };
}

/** The client of A2A. */
export const a2a = (): WireClient => new A2aClient();
