import { Injectable } from '@nestjs/common';
import { AppError, type BackpressureGate, type JsonObject, type Principal } from '../../common/index.js';
import { type AgentResponse, LoggedEvent, type Message } from '../../events/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../session/index.js';
import {
  type AgUiEvent,
  AgUiFold,
  type AgUiGeneration,
  type AgUiMessage,
  compactEvents,
  keptInterrupt,
  leftState,
  questionsOf,
  toAgUiMessages,
} from '../ag-ui-events/index.js';
import { ReaderCopy } from './reader-copy.js';

const PAGE = 100;

/** Which thread to show, to whom. */
export interface ReplayRequest {
  readonly principal: Principal;
  readonly threadId: string;
  readonly generation: AgUiGeneration;
  /** What its reader has of it already. */
  readonly has?: ReaderCopy;
  /** Leaves out runs that are not over, and what comes after them. */
  readonly finishedOnly?: boolean;
  /** Ends the replay: its reader is gone. */
  readonly signal?: AbortSignal;
  /** Back-pressure of the socket that is fed; told when the tail is cut. */
  readonly gate?: BackpressureGate;
}

/**
 * A thread as AG-UI events: all runs in their order, each begun with the messages that were new in it,
 * and the one in progress live (contract ag-ui, section 3). Past runs come whole and
 * compacted; one whose events are no longer kept comes as its messages.
 */
@Injectable()
export class ThreadReplay {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
  ) {}

  /** Batches of events; none for an unknown thread. Ends when no run of the thread is in progress. */
  async *events(request: ReplayRequest): AsyncGenerator<readonly AgUiEvent[], void, void> {
    const shown: AgUiMessage[] = [];
    for (let after = 0; request.signal?.aborted !== true;) {
      const runs = await this.runsAfter(request, after);
      if (runs.length === 0) return;
      for (const run of runs) {
        if (request.finishedOnly === true && run.finishedAt === null) return;
        yield* this.runEvents(request, run, shown);
        after = run.ordinal;
      }
    }
  }

  /** The runs with a greater ordinal, oldest first. */
  private async runsAfter({ principal, threadId }: ReplayRequest, ordinal: number): Promise<RunView[]> {
    const found: RunView[] = [];
    for (let before: number | undefined; ;) {
      const options = { limit: PAGE, ...(before !== undefined && { before }) };
      const page = await this.runs.list(principal, threadId, options);
      found.push(...page.filter((run) => run.ordinal > ordinal));
      const last = page.at(-1);
      if (!last || page.length < PAGE || last.ordinal <= ordinal) return found.reverse();
      before = last.ordinal;
    }
  }

  /** @param shown the messages of the thread so far; those of this run are added */
  private async *runEvents(
    request: ReplayRequest,
    run: RunView,
    shown: AgUiMessage[],
  ): AsyncGenerator<readonly AgUiEvent[], void, void> {
    const { principal, generation, signal, gate } = request;
    const before = [...shown];
    const options = { ...(signal && { signal }), ...(gate && { gate }) };
    const input = toAgUiMessages(await this.runs.input(principal, run.runId), generation);
    const fold = new AgUiFold({
      threadId: run.sessionId,
      runId: run.runKey ?? run.runId,
      ...(run.parentRunId !== null && { parentRunId: run.parentRunId }),
      generation,
      input: inputOf(run, input),
    });
    fold.history = [...shown, ...input];
    shown.push(...input);
    const written: Message[] = [];
    const isOver = run.finishedAt !== null;
    const view = request.has && (await this.viewOf(request.has, principal, run, shown));
    try {
      for await (const batch of this.runs.tail(principal, run.runId, options)) {
        collect(batch, written);
        const events = batch.flatMap((event) => fold.next(event));
        const own = isOver ? compactEvents(events) : events;
        yield view ? view(own, toAgUiMessages(written, generation)) : own;
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
      const response = await this.runs.response(principal, run.runId);
      written.push(...(response.output ?? []));
      const own = [...input, ...toAgUiMessages(written, generation)];
      yield await this.prunedRun(request, run, response, { before, own });
    }
    shown.push(...toAgUiMessages(written, generation));
  }

  /**
   * What becomes of a run's events for a reader that has some of its messages; undefined for others. Of a run
   * that is over it gets what it lacks, and a snapshot that puts the rest right; one in progress it forgets, to
   * see it from its beginning.
   */
  private async viewOf(
    copy: ReaderCopy,
    principal: Principal,
    run: RunView,
    shown: readonly AgUiMessage[],
  ): Promise<RunViewer | undefined> {
    const output = (await this.runs.response(principal, run.runId)).output ?? [];
    if (copy.lacks(output)) return undefined;
    const before = [...shown];
    let begun = false;
    return (events, written) => {
      const [first, ...rest] = events;
      if (run.finishedAt !== null) {
        const left = events.filter((event) => !copy.has(event));
        const last = left.at(-1);
        if (last?.type !== 'RUN_FINISHED' && last?.type !== 'RUN_ERROR') return left;
        return [...left.slice(0, -1), copy.snapshot([...before, ...written]), last];
      }
      if (begun || first?.type !== 'RUN_STARTED') return events;
      begun = true;
      return [first, copy.snapshot(before, output), ...rest];
    };
  }

  /**
   * A run of which only the messages, the end, the questions and the state it left are kept; the thread's of
   * now where an earlier version removed the events.
   */
  private async prunedRun(
    { principal, threadId, generation }: ReplayRequest,
    run: RunView,
    response: AgentResponse,
    { before, own }: { readonly before: readonly AgUiMessage[]; readonly own: readonly AgUiMessage[] },
  ): Promise<AgUiEvent[]> {
    const state = leftState(run) ?? (await this.sessions.view(principal, threadId))?.state ?? {};
    const { sessionId, parentRunId } = run;
    const fold = new AgUiFold({
      threadId: sessionId,
      runId: run.runKey ?? run.runId,
      ...(parentRunId !== null && { parentRunId }),
      generation,
      input: inputOf(run, own),
    });
    const snapshots: AgUiEvent[] = [];
    const waits = run.state === 'interrupted';
    if (waits || Object.keys(state).length > 0) snapshots.push({ type: 'STATE_SNAPSHOT', snapshot: state });
    if (waits) {
      const interrupt = keptInterrupt(run, response, await questionsOf(this.interrupts, principal, run));
      // What it says itself is said by the snapshots here; the end has to know of it.
      fold.next(new LoggedEvent(run.lastSeq, '', interrupt, 0));
      if (interrupt.items.length > 0) snapshots.push({ type: 'MESSAGES_SNAPSHOT', messages: [...before, ...own] });
    }
    const [started, ...end] = fold.next(new LoggedEvent(run.lastSeq, '', response, 0));
    return [...(started ? [started] : []), ...snapshots, ...end];
  }
}

/** A run's events as one reader is shown them. `written` is what the run wrote, known with its end. */
type RunViewer = (events: readonly AgUiEvent[], written: readonly AgUiMessage[]) => readonly AgUiEvent[];

/** What RUN_STARTED repeats of a run's request: the messages that were new in it. */
function inputOf(run: RunView, messages: readonly AgUiMessage[]): JsonObject {
  return {
    threadId: run.sessionId,
    runId: run.runKey ?? run.runId,
    messages: messages as unknown as JsonObject[],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  };
}

function collect(batch: readonly LoggedEvent[], written: Message[]): void {
  for (const { event } of batch) {
    if (event.object === 'response' && event.output && event.completed_at !== null) {
      written.splice(0, written.length, ...event.output);
    }
  }
}
