import { Injectable } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import { AgentRegistry } from '../../agent/index.js';
import { AppError, isPlainObject, type Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import {
  type AgUiEvent,
  AgUiRuns,
  AgUiSettings,
  CLOSING_EVENT,
  decodeRunInput,
  generationOf,
  normaliseRunInput,
  principalOf,
  toAgUiMessages,
} from '../ag-ui-events/index.js';
import {
  dataFrame,
  fieldReaderAt,
  userIdHeader,
  requestPrincipal,
  type StreamClient,
  useControlFrames,
} from '../http/index.js';
import { acceptedTail, encodeTail, tailObservable } from '../wire/index.js';
import { agentCapabilities, type RuntimeInfo, runtimeInfo } from './runtime-info.js';
import { ReaderCopy } from './reader-copy.js';
import { ThreadReplay } from './thread-replay.js';

/** What an unmodified client calls its only agent. */
const DEFAULT_ID = 'default';

/** Whether a stop found something to stop. */
export type StopAnswer =
  { readonly stopped: true; readonly interrupt: AgUiEvent } | { readonly stopped: false; readonly message: string };

type Frames = Observable<readonly string[]>;

/** What a CopilotKit runtime does (contract ag-ui, section 3), over durable runs. */
@Injectable()
export class CopilotRuntime {
  constructor(
    private readonly agUi: AgUiRuns,
    private readonly runs: Runs,
    private readonly replay: ThreadReplay,
    private readonly agents: AgentRegistry,
    private readonly settings: AgUiSettings,
  ) {}

  /** The public agents; the default one also by the name that clients use when they name none. */
  info(): RuntimeInfo {
    const listed = this.agents.list().filter(({ name }) => this.agents.isPublic(name));
    const fallback = listed.find(({ name }) => name === this.agents.defaultName);
    const named = listed.map((agent) => [agent.name, agent] as const);
    const all = fallback && !this.agents.isPublic(DEFAULT_ID) ? [[DEFAULT_ID, fallback] as const, ...named] : named;
    return runtimeInfo(all.map(([id, { name, description }]) => ({ id, name, description })));
  }

  /** The capabilities every agent has. */
  capabilities(): object {
    return agentCapabilities();
  }

  /** The agent type that an id of a path means; undefined for none that a client may name. */
  agentTypeOf(id: string): string | undefined {
    if (this.agents.isPublic(id)) return id;
    return id === DEFAULT_ID ? this.agents.defaultName : undefined;
  }

  /** @throws AppError as `AgUiRuns.start` */
  async run(agentId: string, body: unknown, client: StreamClient): Promise<Frames> {
    const started = await this.agUi.start(body, {
      wire: 'copilotkit',
      agentId,
      defaultAgent: this.agents.defaultName,
      userId: userIdHeader(client.request),
      onBusy: this.settings.busyPolicy,
    });
    if (started.kind === 'refused') return of([frameOf(started.event)]);
    const { principal, run } = started;
    client.reply.header('x-run-id', run.runId);
    useControlFrames(client.request, { shutdownFrame: frameOf(CLOSING_EVENT) });
    const encoder = this.agUi.encoder(started, { frameOf });
    const { gate } = client;
    return tailObservable({
      open: (signal) => encodeTail(acceptedTail(this.runs.tail(principal, run.runId, { gate, signal })), encoder),
      gate,
    });
  }

  /** A thread's history, then its run in progress. @throws AppError AGENT_NOT_FOUND; as `decodeRunInput` */
  connect(agentId: string, body: unknown, client: StreamClient): Frames {
    this.requireAgent(agentId);
    const input = decodeRunInput(
      isPlainObject(body) ? { ...body, runId: body['runId'] ?? 'connect', messages: body['messages'] ?? [] } : body,
    );
    const { gate } = client;
    useControlFrames(client.request, { shutdownFrame: frameOf(CLOSING_EVENT) });
    const generation = generationOf(input.protocolVersion);
    const own = toAgUiMessages(input.messages, generation);
    const request = {
      principal: principalOf(input, userIdHeader(client.request)),
      threadId: input.threadId,
      generation,
      ...(own.length > 0 && { has: new ReaderCopy(own) }),
    };
    return tailObservable({ open: (signal) => framesOf(this.replay.events({ ...request, signal, gate })), gate });
  }

  /**
   * Stops one run, or all of a thread. A run that is over is left alone, and so is whatever came after it.
   *
   * @throws AppError AGENT_NOT_FOUND; PARAMETER_VALIDATION, INVALID_PARAMETER for what names no run: it must not
   *   stop them all
   */
  async stop(agentId: string, threadId: string, body: unknown, client: StreamClient): Promise<StopAnswer> {
    this.requireAgent(agentId);
    const principal = requestPrincipal(userIdHeader(client.request) ?? threadId);
    const runKey = stoppedRunKey(body);
    const count =
      runKey === undefined
        ? (await this.runs.cancelSession(principal, threadId)).length
        : await this.stopRun(principal, threadId, runKey);
    if (count === 0) return { stopped: false, message: 'No run of this thread is in progress' };
    return { stopped: true, interrupt: { type: 'RUN_ERROR', message: 'The run was stopped', code: 'STOPPED' } };
  }

  private async stopRun(principal: Principal, threadId: string, runKey: string): Promise<number> {
    const run = await this.runs.findByKey(principal, threadId, runKey);
    if (!run || run.finishedAt !== null) return 0;
    await this.runs.cancel(principal, run.runId);
    return 1;
  }

  private requireAgent(id: string): void {
    if (this.agentTypeOf(id) === undefined) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${id}`);
  }
}

/** The run that the body of a stop names; undefined for all of the thread. */
function stoppedRunKey(body: unknown): string | undefined {
  const fields = fieldReaderAt(normaliseRunInput(fieldReaderAt(body ?? {}, 'body').source), '');
  return fields.string('runId', { min: 1, max: 256 });
}

function frameOf(event: AgUiEvent): string {
  return dataFrame(JSON.stringify(event));
}

/** An empty batch says that the request is accepted, also when nothing follows. */
async function* framesOf(batches: AsyncIterable<readonly AgUiEvent[]>): AsyncGenerator<readonly string[], void, void> {
  yield [];
  for await (const events of batches) if (events.length > 0) yield [events.map(frameOf).join('')];
}
