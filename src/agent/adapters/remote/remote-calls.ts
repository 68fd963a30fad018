import type { AgentContext } from '../../agent.js';
import { CallIds } from '../../loop/call-ids.js';
import { callsOf } from '../../prompt/tool-traffic.js';

/** A call in the journal. */
export interface ToldCall {
  readonly upstreamId: string;
  /** Ours. */
  readonly callId: string;
  readonly name: string;
  readonly hasOutput: boolean;
}

/** A call that an upstream has shown. */
export interface ShownCall {
  readonly callId: string;
  readonly name: string;
  readonly isClient: boolean;
  hasOutput: boolean;
  /** The interrupt that approved it in an earlier run. */
  readonly approvalId?: string | undefined;
  /** True for a call of an earlier run: nothing is owed if it has no result. */
  readonly isEarlier?: boolean;
}

/** A call of an earlier run. */
export interface EarlierCall extends ToldCall {
  /** Our interrupt, and the upstream's request, by which it was approved. */
  readonly approvalId?: string | undefined;
  readonly requestId?: string | undefined;
}

/** The calls of one exchange, by the upstream's ids. */
export class RemoteCalls {
  private readonly shown = new Map<string, ShownCall>();
  private readonly ids: CallIds;
  private readonly clientTools: ReadonlySet<string>;
  private touched = new Set<string>();

  constructor(
    context: AgentContext,
    private readonly round: number,
    private readonly earlier: readonly EarlierCall[],
  ) {
    const known = [...context.history, ...context.input].flatMap(callsOf).map(({ id }) => id);
    this.ids = new CallIds(context.runId, [...known, ...context.shownCallIds], context.signal);
    this.clientTools = new Set(context.clientTools.map(({ name }) => name));
    for (const { upstreamId, callId, name, hasOutput, approvalId } of earlier) {
      this.shown.set(upstreamId, { callId, name, isClient: false, hasOutput, approvalId, isEarlier: true });
    }
  }

  /** A call that was shown. */
  get(upstreamId: string): ShownCall | undefined {
    return this.shown.get(upstreamId);
  }

  /** A call begins: it gets an id of ours. */
  begin(upstreamId: string, name: string): ShownCall {
    const isClient = this.clientTools.has(name);
    const callId = this.ids.next(this.round, this.shown.size, upstreamId);
    const call: ShownCall = { callId, name, isClient, hasOutput: false };
    this.touched.add(upstreamId);
    this.shown.set(upstreamId, call);
    return call;
  }

  /** A call has its result. */
  answered(upstreamId: string, call: ShownCall): void {
    call.hasOutput = true;
    this.touched.add(upstreamId);
  }

  /** Calls were not made after all. @param callIds ours */
  forget(callIds: ReadonlySet<string>): void {
    for (const [upstreamId, { callId }] of this.shown) {
      if (!callIds.has(callId)) continue;
      this.shown.delete(upstreamId);
      this.touched.delete(upstreamId);
    }
  }

  /** The call of an earlier run that an approval request of the upstream was about. */
  approvedBy(requestId: string): EarlierCall | undefined {
    return this.earlier.find((one) => one.requestId === requestId);
  }

  /** The upstream's ids of calls that it made itself and that have no result. @param waiting our ids of calls that wait */
  unanswered(waiting: ReadonlySet<string | null>): readonly string[] {
    return [...this.shown].flatMap(([upstreamId, { callId, isClient, isEarlier, hasOutput }]) => {
      return isClient || isEarlier === true || hasOutput || waiting.has(callId) ? [] : [upstreamId];
    });
  }

  /** Our ids of the calls that the client must answer. */
  get ofClient(): readonly string[] {
    const open = [...this.shown.values()].filter(({ isClient, hasOutput }) => isClient && !hasOutput);
    return open.map(({ callId }) => callId);
  }

  /** The calls that have begun or ended since the last call of this. */
  take(): readonly ToldCall[] {
    const told = [...this.touched].flatMap((upstreamId): ToldCall[] => {
      const call = this.shown.get(upstreamId);
      return call ? [{ upstreamId, callId: call.callId, name: call.name, hasOutput: call.hasOutput }] : [];
    });
    this.touched = new Set();
    return told;
  }

  /** Calls that an earlier attempt of this exchange has told. */
  restore(calls: readonly ToldCall[]): void {
    for (const { upstreamId, callId, name, hasOutput } of calls) {
      this.shown.set(upstreamId, { callId, name, isClient: this.clientTools.has(name), hasOutput });
    }
  }
}
