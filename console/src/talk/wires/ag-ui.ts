import { HttpAgent, type Message, type ResumeEntry } from '@ag-ui/client';
import { ParleyError, identity, type Query, urlOf } from '../../api/client.js';
import type { LiveRun } from '../live-run.js';
import type { AnswerTo, Turn, WireClient } from '../wire.js';
import { AgUiReader } from './ag-ui-events.js';

/** AG-UI over `HttpAgent` of `@ag-ui/client`, as it is published. */
class AgUiClient implements WireClient {
  /** @param pathOf the path of an agent; the empty name is the default agent */
  constructor(private readonly pathOf: (agent: string) => string) {}

  takes(): boolean {
    return true;
  }

  async send(turn: Turn, run: LiveRun): Promise<void> {
    const agent = this.agent(run, this.pathOf(turn.agent), identity(turn.user));
    agent.addMessages(messagesOf(turn));
    const resume = turn.answers.map(resumeEntry);
    const parameters = { runId: turn.runId, tools: [...turn.tools], ...(resume.length > 0 && { resume }) };
    await this.follow(agent, parameters, run);
  }

  /** The client checks the order of events from the first one on, so the run is read again from there. */
  async watch(run: LiveRun): Promise<void> {
    run.restart();
    const path = `runs/${encodeURIComponent(run.id ?? '')}/events`;
    const agent = this.agent(run, path, identity(), { protocol: 'ag-ui' });
    await this.follow(agent, {}, run);
  }

  private agent(run: LiveRun, path: string, headers: Record<string, string>, query?: Query): HttpAgent {
    const agent = new HttpAgent({
      url: urlOf(path, query).href,
      threadId: run.session,
      headers,
      fetch: async (url, init) => {
        const response = await fetch(url, query ? { headers, signal: init.signal ?? null } : init);
        if (!response.ok) throw await ParleyError.of(response);
        run.started(response.headers.get('x-run-id'));
        return response;
      },
    });
    run.signal.addEventListener('abort', () => agent.abortRun());
    return agent;
  }

  private async follow(
    agent: HttpAgent,
    parameters: Parameters<HttpAgent['runAgent']>[0],
    run: LiveRun,
  ): Promise<void> {
    const reader = new AgUiReader(run);
    await agent.runAgent(parameters, { onEvent: ({ event }) => reader.read(event) });
  }
}

function messagesOf({ runId, text, images, results }: Turn): Message[] {
  const parts = images.map(({ url, mimeType }) => ({
    type: 'image' as const,
    source: { type: 'url' as const, value: url, mimeType },
  }));
  const content = parts.length === 0 ? text : [...parts, { type: 'text' as const, text }];
  return [
    ...results.map(({ callId, output }): Message => ({
      id: `result-${callId}`,
      role: 'tool',
      toolCallId: callId,
      content: output,
    })),
    ...(text === '' && parts.length === 0 ? [] : [{ id: `user-${runId}`, role: 'user', content } satisfies Message]),
  ];
}

/** An answer as AG-UI and the Runs API take it. */
export function resumeEntry(answer: AnswerTo): ResumeEntry {
  const { interruptId, kind, approve, reason, arguments: edited, payload, cancel } = answer;
  if (cancel) return { interruptId, status: 'cancelled' };
  const decision = { approved: approve === true, ...(reason && { reason }), ...(edited && { editedArgs: edited }) };
  return { interruptId, status: 'resolved', payload: kind === 'approval' ? decision : payload };
}

/** The client of AG-UI. */
export const agUi = (): WireClient =>
  new AgUiClient((agent) => (agent ? `ag-ui/${encodeURIComponent(agent)}` : 'ag-ui'));

/** The same client on the routes of a CopilotKit runtime. */
export const copilotKit = (): WireClient =>
  new AgUiClient((agent) => `copilotkit/agent/${encodeURIComponent(agent || 'default')}/run`);
