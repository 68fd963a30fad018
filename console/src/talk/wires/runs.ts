import type { BaseEvent } from '@ag-ui/client';
import { BrokenStream, json, parley, UNNAMED_USER, urlOf } from '../../api/client.js';
import { credential } from '../../api/credential.js';
import type { LiveRun } from '../live-run.js';
import type { Turn, WireClient } from '../wire.js';
import { AgUiReader } from './ag-ui-events.js';
import { resumeEntry } from './ag-ui.js';

interface Accepted {
  readonly taskId: string;
  readonly threadId: string;
  readonly runId: string;
}

/**
 * The Runs API over `fetch` and `EventSource`. The browser itself reconnects and sends the id of its last event, so
 * nothing is left for the page to resume.
 */
class RunsClient implements WireClient {
  takes(): boolean {
    return true;
  }

  async send(turn: Turn, run: LiveRun): Promise<void> {
    if (turn.user !== undefined && turn.user !== UNNAMED_USER)
      throw new Error(`This wire cannot act for ${turn.user} without a credential. Choose another one.`);
    const runs = 'api/v1/agent/runs';
    const accepted =
      turn.answers.length > 0
        ? await json<Accepted>(`${runs}/${await runThatAsked(turn)}/resume`, {
            body: { resume: turn.answers.map(resumeEntry), runId: turn.runId },
            user: turn.user,
          })
        : await json<Accepted>(runs, { body: runInput({ ...turn, agent: await agentOf(turn) }), user: turn.user });
    run.started(accepted.taskId);
    await this.watch(run);
  }

  async watch(run: LiveRun): Promise<void> {
    run.restart();
    const path = `runs/${encodeURIComponent(run.id ?? '')}/events`;
    const query = { protocol: 'runs', ...(await ticketFor(path)) };
    await listen(new EventSource(urlOf(path, query)), run);
  }
}

/** Reads until the run ends or the page leaves. A closed connection is opened again by the browser. */
function listen(source: EventSource, run: LiveRun): Promise<void> {
  const reader = new AgUiReader(run);
  return new Promise((resolve, reject) => {
    const close = (): void => {
      source.close();
      resolve();
    };
    run.signal.addEventListener('abort', close);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      reader.read(JSON.parse(data) as BaseEvent);
      if (run.end) close();
    };
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) {
        run.onLost?.();
        return;
      }
      source.close();
      reject(new BrokenStream('The connection was closed'));
    };
  });
}

/** An EventSource sends no headers: with authentication it has a ticket, which is for one path and a short time. */
async function ticketFor(path: string): Promise<{ ticket?: string }> {
  if (credential() === undefined) return {};
  return json<{ ticket: string }>('access/tickets', { body: { path: urlOf(path).pathname } });
}

/** The path of the run that asked. On this wire a run is named by its thread and the id that its client chose. */
async function runThatAsked({ answers }: Turn): Promise<string> {
  const [first] = answers;
  const interrupt = await json<{ runId: string }>(`interrupts/${first?.interruptId ?? ''}`);
  const task = `api/v1/agent/tasks/${encodeURIComponent(interrupt.runId)}`;
  const { threadId, runId } = await json<Accepted>(task);
  return `${threadId}/${encodeURIComponent(runId)}`;
}

/** This wire has no agent of requests that name none. */
async function agentOf({ agent }: Turn): Promise<string> {
  if (agent !== '') return agent;
  const data = await parley().agents();
  const standard = data.find(({ isDefault }) => isDefault);
  if (!standard) throw new Error('This wire has no default agent. Choose one.');
  return standard.name;
}

function runInput({ session, runId, text, images, agent }: Turn): object {
  const parts = images.map(({ url, mimeType }) => ({ type: 'binary', mimeType, url }));
  return {
    threadId: session,
    runId,
    messages: [
      { id: `user-${runId}`, role: 'user', content: parts.length === 0 ? text : [...parts, { type: 'text', text }] },
    ],
    forwardedProps: { agent_type: agent },
  };
}

/** The client of the Runs API. */
export const runs = (): WireClient => new RunsClient();
