import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { Caller } from '../../access/index.js';
import type { AbortLike } from '../../common/index.js';
import type { RunChain, RunView } from '../../run/index.js';
import { headerText, type StreamClient } from '../http/index.js';
import type { NextRun } from '../wire/index.js';
import { A2aEncoder, StreamFormat } from './a2a.encoder.js';
import { A2aError } from './a2a.errors.js';
import { cut } from './a2a.service.js';
import { EXTENSIONS, isTerminal, type SendRequest, type Task, type Version } from './a2a.types.js';
import { NextRuns } from './next-runs.js';
import type { SendOptions } from './placement.js';
import { StreamOpener } from './stream-opener.js';
import { Submission } from './submission.js';
import { TaskEnds } from './task-ends.js';
import { taskFrames } from './task-frames.js';
import { type TaskReading, Tasks } from './tasks.js';

/** The frames of a stream, in batches that are written at once. */
type Frames = Observable<readonly string[]>;

/** How a stream is asked for. */
export interface StreamRequest {
  readonly version: Version;
  /** As in `StreamFormat`. */
  readonly rpcId?: string | number | null | undefined;
  readonly extensions: ReadonlySet<string>;
  /** The header `Last-Event-ID`. */
  readonly lastEventId?: string | undefined;
}

/** From where on a task is streamed. */
interface Start {
  readonly chain: RunChain;
  readonly reading: TaskReading;
  readonly historyLength?: number | undefined;
  /** Whether the stream ends where the task asks for an input. */
  readonly endsAtQuestions: boolean;
}

/** Streams of tasks (contract a2a, section 7). */
@Injectable()
export class TaskStreams {
  constructor(
    private readonly tasks: Tasks,
    private readonly submission: Submission,
    private readonly ends: TaskEnds,
    private readonly nextRuns: NextRuns,
    private readonly opener: StreamOpener,
  ) {}

  /** Sends a message, and streams its task until it is over or asks for something. */
  async send(
    request: SendRequest,
    options: SendOptions,
    stream: StreamRequest,
    {
      caller,
      client,
      accepted,
    }: { caller: Caller; client: StreamClient; accepted?: ((run: RunView) => Promise<void>) | undefined },
  ): Promise<Frames> {
    const { run, created } = await this.submission.submit(request, options, caller);
    client.reply.header('x-run-id', headerText(run.runId));
    if (created && accepted) await accepted(run);
    const reply = await this.ends.replyOf(run, client.gone);
    const { historyLength } = request;
    if (reply) {
      const format = this.formatOf(stream, 0);
      return this.opener.open(client, stream.version, format, {
        head: [format.first(format.shapes.messageFrame(reply))],
        next: ended,
      });
    }
    const chain = await this.tasks.chainOf(run);
    const hasProgress = stream.extensions.has(EXTENSIONS.progress);
    const until = created ? undefined : this.cursorOf(stream);
    const upTo = created ? { startOf: run.runId } : { until };
    const reading = await this.tasks.read(chain, { ...upTo, hasProgress });
    this.assertNotAhead(reading, until);
    return this.stream({ chain, reading, historyLength, endsAtQuestions: true }, stream, client);
  }

  /**
   * Streams a task that exists: as it is, and what follows.
   *
   * @throws A2aError TASK_NOT_FOUND; UNSUPPORTED_OPERATION for one that is over, unless the client has a cursor or is of 0.3;
   *   INVALID_PARAMS for a cursor beyond its end
   */
  async subscribe(
    taskId: string,
    agentType: string | undefined,
    stream: StreamRequest,
    { caller, client }: { caller: Caller; client: StreamClient },
  ): Promise<Frames> {
    const chain = await this.tasks.find(caller.reach, taskId, agentType);
    const until = this.cursorOf(stream);
    const state = this.tasks.stateOf(chain);
    if (isTerminal(state) && until === undefined && stream.version === '1.0') {
      throw new A2aError('UNSUPPORTED_OPERATION', `The task is over: ${state}`, { taskId });
    }
    const hasProgress = stream.extensions.has(EXTENSIONS.progress);
    const reading = await this.tasks.read(chain, { until, hasProgress });
    this.assertNotAhead(reading, until);
    return this.stream({ chain, reading, endsAtQuestions: stream.version === '0.3' }, stream, client);
  }

  private stream(
    { chain, reading, historyLength, endsAtQuestions }: Start,
    stream: StreamRequest,
    client: StreamClient,
  ): Frames {
    const { count, rest, run, runFold, readTo, isRunRead, isRetained, fold } = reading;
    const format = this.formatOf(stream, count);
    const ids = this.tasks.idsOf(chain);
    const task = cut(fold.task(), historyLength);
    const head = [
      ...taskFrames(task, format),
      ...this.ending(task, reading, stream, format),
      ...rest.map((update) => format.update(ids, update)),
    ];
    const encoderOf = (next: RunView): A2aEncoder => {
      const hasProgress = stream.extensions.has(EXTENSIONS.progress);
      return new A2aEncoder(this.tasks.foldOf(next, hasProgress), ids, format);
    };
    const first = isRunRead || isRetained ? undefined : { run, encoder: new A2aEncoder(runFold, ids, format), readTo };
    const next = async (last: RunView | undefined, signal: AbortLike): Promise<NextRun> => {
      if (isRetained) return 'ended';
      const found = await this.nextRuns.after(last ?? run, { signal, endsAtQuestions, isClosed: isClosedIn(reading) });
      return typeof found === 'object' && 'update' in found ? { last: [format.update(ids, found.update)] } : found;
    };
    return this.opener.open(client, stream.version, format, { head, first, encoderOf, next });
  }

  /** A client of 0.3 takes a stream for complete only after a status that is the final one. */
  private ending(
    { status, taskId, contextId }: Task,
    { rest, isRunRead }: TaskReading,
    { version }: StreamRequest,
    format: StreamFormat,
  ): readonly string[] {
    const isOver = isTerminal(status.state) || status.state === 'input-required';
    if (version !== '0.3' || !isOver || !isRunRead || rest.length > 0) return [];
    return [format.first(format.shapes.updateFrame({ taskId, contextId }, { kind: 'status', status }))];
  }

  private formatOf({ version, rpcId, extensions }: StreamRequest, seen: number): StreamFormat {
    return new StreamFormat({ version, rpcId, seen, hasProgress: extensions.has(EXTENSIONS.progress) });
  }

  /** How many updates the client has. @throws A2aError INVALID_PARAMS for an id of another stream */
  private cursorOf({ lastEventId, extensions }: StreamRequest): number | undefined {
    if (lastEventId === undefined || lastEventId === '') return undefined;
    const form = extensions.has(EXTENSIONS.progress) ? /^p(\d{1,9})$/ : /^(\d{1,9})$/;
    const [, number] = form.exec(lastEventId) ?? [];
    if (number !== undefined) return Number(number);
    throw new A2aError('INVALID_PARAMS', 'Last-Event-ID must be the id of a frame of this stream');
  }

  private assertNotAhead({ count, isRetained }: TaskReading, until: number | undefined): void {
    if (until === undefined || isRetained || count >= until) return;
    throw new A2aError('INVALID_PARAMS', `Last-Event-ID is ${until}, but the task has ${count} updates so far`);
  }
}

function ended(): Promise<NextRun> {
  return Promise.resolve('ended');
}

/** Whether the first frame contains the end of a task that no event of a log tells. */
function isClosedIn({ fold, isRunRead, run }: TaskReading): boolean {
  return isRunRead && run.state === 'interrupted' && isTerminal(fold.current.state);
}
