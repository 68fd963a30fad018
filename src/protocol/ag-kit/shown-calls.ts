import type { AgKitEvent } from './ag-kit.types.js';

/** The result of a call that was discarded because its worker was lost. */
export const LOST_RESULT = '{"status":"discarded","reason":"worker_lost"}';

interface ShownCall {
  /** The message of the log that makes it. */
  messageId: string;
  /** The argument text the client has. */
  args: string;
  /** The argument text of a repeated call so far, while it is compared with what was shown. */
  repeated: string | undefined;
  /** How many rounds of results the client had when the call started: its arguments belong before the next. */
  readonly round: number;
  isOpen: boolean;
  isEnded: boolean;
  hasResult: boolean;
  /** Its message was taken back, and no other has made the call again yet. */
  isLost: boolean;
}

/**
 * The calls of one stream in the order that the vendor's hook needs (contract ag-kit, section 1.7,
 * rules 1 and 2): a call starts once, and results wait while any call is open. A call that is lost gets
 * a result that says so, for the hook sends nothing while a call of the turn has none.
 */
export class ShownCalls {
  private readonly calls = new Map<string, ShownCall>();
  private waiting: AgKitEvent[] = [];
  private round = 0;

  /** A call that is repeated under its old id continues where the client's copy ends. */
  start(id: string, name: string, messageId: string): readonly AgKitEvent[] {
    const known = this.calls.get(id);
    if (known) {
      const fits = !known.isEnded && known.round === this.round;
      Object.assign(known, { messageId, repeated: '', isOpen: fits, isLost: false });
      return [];
    }
    const flags = { isOpen: true, isEnded: false, hasResult: false, isLost: false };
    this.calls.set(id, { messageId, args: '', repeated: undefined, round: this.round, ...flags });
    return [{ type: 'tool-call-start', toolCallId: id, toolCallName: name }];
  }

  args(id: string, delta: string): readonly AgKitEvent[] {
    const call = this.calls.get(id);
    if (!call?.isOpen) return [];
    if (call.repeated === undefined) return this.show(call, id, delta);
    call.repeated += delta;
    if (!call.repeated.startsWith(call.args)) return [];
    return this.show(call, id, call.repeated.slice(call.args.length));
  }

  /** A call that was repeated with other arguments than the client has gets no end: it must not be made. */
  end(id: string): readonly AgKitEvent[] {
    const call = this.calls.get(id);
    if (!call?.isOpen) return [];
    if (call.repeated !== undefined && call.repeated !== call.args) return this.drop(id);
    Object.assign(call, { isOpen: false, isEnded: true });
    return [{ type: 'tool-call-end', toolCallId: id }, ...this.released()];
  }

  /** A call that is cut off: it gets no end, and nothing waits for it. */
  drop(id: string): readonly AgKitEvent[] {
    const call = this.calls.get(id);
    if (call) call.isOpen = false;
    return this.released();
  }

  /** These messages of the log were taken back: their calls are lost unless they are made again. */
  lose(messageIds: ReadonlySet<string>): void {
    for (const call of this.calls.values()) if (messageIds.has(call.messageId)) call.isLost = true;
  }

  /** True for a lost call whose end the client has not received: repeated under its id, it continues. */
  takeBackEnd(id: string): boolean {
    const call = this.calls.get(id);
    if (!call?.isLost) return false;
    call.isEnded = false;
    return true;
  }

  result(id: string, result: string): readonly AgKitEvent[] {
    const call = this.calls.get(id);
    if (call) call.hasResult = true;
    this.waiting.push({ type: 'tool-result', toolCallId: id, result });
    return this.released();
  }

  /** What waits, whatever is open: the stream ends. */
  flush(): readonly AgKitEvent[] {
    const lost = [...this.calls].filter(([, call]) => call.isLost && !call.hasResult);
    const results = lost.flatMap(([id, call]): AgKitEvent[] => {
      call.hasResult = true;
      return [{ type: 'tool-result', toolCallId: id, result: LOST_RESULT }];
    });
    const events = [...results, ...this.waiting.splice(0)];
    if (events.length > 0) this.round += 1;
    return events;
  }

  private show(call: ShownCall, id: string, delta: string): readonly AgKitEvent[] {
    if (delta === '') return [];
    call.args += delta;
    return [{ type: 'tool-call-args', toolCallId: id, delta }];
  }

  private released(): readonly AgKitEvent[] {
    if (this.waiting.length === 0) return [];
    return [...this.calls.values()].some(({ isOpen }) => isOpen) ? [] : this.flush();
  }
}

/**
 * Defers the ends of client calls until the calls can no longer be discarded: a client makes a call when it has
 * ended (contract ag-kit, section 1.4), and a call of a lost worker can be discarded until the run continues
 * from it. Later events wait too, so that the order is that of the log.
 */
export class DeferredCallEnds {
  private readonly clientCalls = new Set<string>();
  private held: AgKitEvent[] = [];

  /** The call is for a client tool. */
  addClientCall(callId: string): void {
    this.clientCalls.add(callId);
  }

  pass(events: readonly AgKitEvent[]): readonly AgKitEvent[] {
    const at = this.held.length > 0 ? 0 : events.findIndex((event) => this.isClientEnd(event));
    if (at < 0) return events;
    this.held.push(...events.slice(at));
    return events.slice(0, at);
  }

  /** The events that waited: the run has continued from the calls. */
  release(): readonly AgKitEvent[] {
    return this.held.splice(0);
  }

  /** The events that waited, without the ends of the calls that must not be made. */
  withoutEnds(isDropped: (callId: string) => boolean): readonly AgKitEvent[] {
    return this.release().filter((event) => !(this.isClientEnd(event) && isDropped(event.toolCallId)));
  }

  private isClientEnd(event: AgKitEvent): event is Extract<AgKitEvent, { type: 'tool-call-end' }> {
    return event.type === 'tool-call-end' && this.clientCalls.has(event.toolCallId);
  }
}
