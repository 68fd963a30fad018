import { Injectable } from '@nestjs/common';
import { type Observable, of } from 'rxjs';
import { type Caller } from '../../access/index.js';
import { isPlainObject, type Principal, userReach } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import {
  type AgUiEvent,
  type AgUiRequest,
  decodeRunInput,
  generationOf,
  normaliseRunInput,
  toAgUiMessages,
} from '../ag-ui-events/index.js';
import { fieldReaderAt, type StreamClient } from '../http/index.js';
import { RunStreams } from '../wire/index.js';
import { ClientSnapshot } from './client-snapshot.js';
import { CopilotAgents } from './copilotkit-agents.js';
import { copilotKitFrame } from './copilotkit.encoder.js';
import { CopilotKitWire } from './copilotkit.wire.js';
import { ThreadReplays } from './thread-replay.js';

/** Whether a stop request stopped a run. */
export type StopAnswer =
  { readonly stopped: true; readonly interrupt: AgUiEvent } | { readonly stopped: false; readonly message: string };

/** The frames of a stream, in batches that are written at once. */
type Frames = Observable<readonly string[]>;

/** The agent routes of a CopilotKit runtime (contract ag-ui, section 3), over durable runs. */
@Injectable()
export class CopilotKitService {
  constructor(
    private readonly wire: CopilotKitWire,
    private readonly streams: RunStreams,
    private readonly runs: Runs,
    private readonly replays: ThreadReplays,
    private readonly agents: CopilotAgents,
  ) {}

  /** @throws AppError as `AgUiRuns.start` */
  async run(request: AgUiRequest, client: StreamClient): Promise<Frames> {
    const { wire } = this;
    const started = await wire.start(request);
    if (started.kind === 'refused') return of([copilotKitFrame(started.event)]);
    const { run } = started;
    client.reply.header('x-run-id', run.runId);
    const encoder = wire.encoder(run, generationOf(started.input.protocolVersion));
    return this.streams.follow(run, client, { wire, encoder }).events();
  }

  /** The history of a thread, then its run in progress. @throws AppError AGENT_NOT_FOUND; as `decodeRunInput` */
  async connect(agentId: string, body: unknown, caller: Caller, client: StreamClient): Promise<Frames> {
    this.agents.require(agentId, caller);
    const input = decodeRunInput(
      isPlainObject(body)
        ? Object.assign({}, body, { runId: body['runId'] ?? 'connect', messages: body['messages'] ?? [] })
        : body,
    );
    const generation = generationOf(input.protocolVersion);
    const messages = toAgUiMessages(input.messages, generation);
    const principal = await this.wire.ownerOf(caller, input.threadId, input.forwardedProps);
    const stream = await this.streams.followSession(client, {
      principal,
      wire: this.wire,
      sessionId: input.threadId,
      waits: 'never',
      ...this.replays.open({
        generation,
        client: messages.length > 0 ? new ClientSnapshot(messages) : undefined,
      }),
    });
    return stream.events();
  }

  /**
   * Stops one run, or all runs of a thread. A finished run is left alone, and so are later ones.
   *
   * @throws AppError AGENT_NOT_FOUND; PARAMETER_VALIDATION, INVALID_PARAMETER for an invalid run id, which must
   *   not stop all runs
   */
  async stop(agentId: string, threadId: string, body: unknown, caller: Caller): Promise<StopAnswer> {
    this.agents.require(agentId, caller);
    const principal = await this.wire.ownerOf(caller, threadId);
    const runKey = stoppedRunKey(body);
    const count =
      runKey === undefined
        ? (await this.runs.cancelSession(principal, threadId, caller.origin())).length
        : await this.stopRun(principal, threadId, runKey, caller);
    if (count === 0) return { stopped: false, message: 'No run of this thread is in progress' };
    return { stopped: true, interrupt: { type: 'RUN_ERROR', message: 'The run was stopped', code: 'STOPPED' } };
  }

  /** Returns the number of stopped runs: 0 if the run is unknown or has finished. */
  private async stopRun(principal: Principal, threadId: string, runKey: string, caller: Caller): Promise<number> {
    const run = await this.runs.findByKey(principal, threadId, runKey);
    if (!run || run.finishedAt !== null) return 0;
    await this.runs.cancel(userReach(run), run.runId, { by: caller.origin() });
    return 1;
  }
}

/** The run that the body of a stop request names; undefined for all runs of the thread. */
function stoppedRunKey(body: unknown): string | undefined {
  const fields = fieldReaderAt(normaliseRunInput(fieldReaderAt(body ?? {}, 'body').source), '');
  return fields.string('runId', { min: 1, max: 256 });
}
