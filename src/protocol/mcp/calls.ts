import { Injectable } from '@nestjs/common';
import { TOOL_AGENT } from '../../agent/index.js';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { AppError, Clock, type Reach, userReach } from '../../common/index.js';
import type { AgentResponse, InterruptEvent, OpenInterrupt } from '../../events/index.js';
import { Interrupts, openInterrupt } from '../../agent/interrupt/index.js';
import { type ChainState, RunChains, Runs, type RunView } from '../../run/index.js';
import { callDataOf } from './call-data.js';
import { type CallOutcome, type Said, saidIn } from './fold/call-result.js';
import { FIRST_RUN, type FoldContext } from './fold/mcp-fold.js';
import { formOf } from './fold/forms.js';
import type { CallData } from './mcp.types.js';

/** A call: a run, and the runs that answers to its questions have begun (contract mcp-server, section 8). */
export interface McpCall {
  readonly runs: readonly RunView[];
  readonly first: RunView;
  readonly last: RunView;
  readonly state: ChainState;
  /** When it came into this state, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** What the wire has kept; undefined for a run of another wire. */
  readonly data: CallData | undefined;
}

/** How the key of a run begins that a form of this wire has begun. */
export const FORM_KEY = 'mcp-form:';

const OVER: ReadonlySet<ChainState> = new Set<ChainState>([
  'completed',
  'incomplete',
  'failed',
  'rejected',
  'canceled',
  'expired',
  'closed',
]);

/** Reads calls from the ledger and the logs. */
@Injectable()
export class Calls {
  constructor(
    private readonly runs: Runs,
    private readonly chains: RunChains,
    private readonly interrupts: Interrupts,
    private readonly attachments: MessageAttachments,
    private readonly clock: Clock,
  ) {}

  /** The call that a run belongs to. @throws AppError RUN_NOT_FOUND, also for one of somebody else */
  async find(reach: Reach, runId: string): Promise<McpCall> {
    return this.of(await this.runs.view(reach, runId));
  }

  /** The call that a run belongs to, as it is now. @throws AppError RUN_NOT_FOUND if it was removed */
  async of(run: RunView): Promise<McpCall> {
    const chain = await this.chains.find(userReach(run), run.rootRunId);
    if (!chain) throw new AppError('RUN_NOT_FOUND');
    const { root, last, state, changedAt } = chain;
    const all = root.runId === last.runId ? [last] : await this.chains.runs(userReach(run), root.runId);
    const runs = partOf(all, run);
    const [first = last] = runs;
    const end = runs.at(-1) ?? last;
    // A message in place of an answer has begun another call.
    const isReplaced = end.runId !== last.runId;
    return {
      runs,
      first,
      last: end,
      state: isReplaced ? 'closed' : state,
      changedAt: isReplaced ? (end.finishedAt ?? end.createdAt) : changedAt,
      data: callDataOf(first),
    };
  }

  /** How long ago a run was accepted, in milliseconds. */
  ageOf({ createdAt }: Pick<RunView, 'createdAt'>): number {
    return Math.max(0, this.clock.now() - createdAt);
  }

  /** Whether nothing follows. */
  isOver({ state }: Pick<McpCall, 'state'>): boolean {
    return OVER.has(state);
  }

  /** What a result says of a call as it is now. */
  async outcome(call: McpCall): Promise<CallOutcome> {
    const { first, last, state, runs } = call;
    const said = await this.saidIn(runs);
    const isTool = first.agentType === TOOL_AGENT;
    const ids = { runId: call.data?.call ?? first.runId, sessionId: first.sessionId, isTool };
    if (state === 'waiting') return { ...ids, ...said, status: 'waiting', waitingFor: await this.questions(call) };
    const isFailed = state === 'failed' || state === 'rejected';
    if (isFailed) return { ...ids, ...said, status: 'failed', error: last.error };
    if (state === 'completed' || state === 'incomplete')
      return { ...ids, ...said, status: 'completed', error: last.error };
    if (this.isOver(call)) return { ...ids, ...said, status: 'stopped', isExpired: state === 'expired' };
    return { ...ids, ...said, status: 'in_progress' };
  }

  /** What a call waits for: the open questions, oldest first. */
  async questions({ last }: Pick<McpCall, 'last'>): Promise<readonly OpenInterrupt[]> {
    const pending = await this.interrupts.pending(userReach(last), last.sessionId);
    return pending.map(openInterrupt);
  }

  /** What the runs before one have said, for the fold of this one. */
  async contextOf(run: RunView): Promise<FoldContext> {
    const { runs, first } = await this.of(run);
    const before = runs.filter(({ ordinal }) => ordinal < run.ordinal);
    const previous = before.at(-1);
    if (!previous) return FIRST_RUN;
    const said = await this.saidIn(before);
    const events = before.reduce((count, { lastSeq }) => count + lastSeq + 1, 0);
    const asks = callDataOf(first)?.asks === true && callDataOf(first)?.era === 'legacy';
    const isElsewhere = asks && run.runKey?.startsWith(FORM_KEY) !== true;
    return { said, events, overtaken: isElsewhere ? await this.formOf(previous) : undefined };
  }

  /** The id of the question that the form of an interrupted run has asked. */
  async formOf(run: RunView): Promise<string | undefined> {
    const asked = await this.askedBy(run);
    return asked?.items.find((item) => formOf(item, ''))?.id;
  }

  private async askedBy(run: RunView): Promise<InterruptEvent | undefined> {
    let asked: InterruptEvent | undefined;
    try {
      for await (const events of this.runs.tail(userReach(run), run.runId, { run, accepted: true })) {
        for (const { kind, event } of events) if (kind === 'interrupt' && event.object === 'interrupt') asked = event;
        if ((events.at(-1)?.seq ?? -1) >= run.lastSeq) break;
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
    }
    return asked;
  }

  private async saidIn(runs: readonly RunView[]): Promise<Said> {
    let said: Said = FIRST_RUN.said;
    for (const run of runs) said = saidIn(said, await this.responseOf(run));
    const [first] = runs;
    if (!first) return said;
    return {
      ...said,
      messages: said.messages.map((message) => this.attachments.shownMessage(message, first.tenantId)),
    };
  }

  private async responseOf(run: RunView): Promise<AgentResponse | undefined> {
    if (run.lastSeq < 0) return undefined;
    return this.runs.response(userReach(run), run.runId, { accepted: true });
  }
}

/** The runs of one call among those of its chain. */
function partOf(all: readonly RunView[], run: RunView): readonly RunView[] {
  const at = Math.max(
    0,
    all.findIndex(({ runId }) => runId === run.runId),
  );
  const callOf = (one: RunView | undefined): string | undefined => one && callDataOf(one)?.call;
  let begin = at;
  while (begin > 0 && all[begin]?.runId !== callOf(all[begin])) begin -= 1;
  const call = callOf(all[begin]);
  let end = at + 1;
  while (end < all.length && (callOf(all[end]) === undefined || callOf(all[end]) === call)) end += 1;
  return all.slice(begin, end);
}
