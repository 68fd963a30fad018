import type { AgKitEvent } from './ag-kit.types.js';

interface ShownCall {
  /** The argument text the client has. */
  args: string;
  /** The argument text of a repeated call so far, while it is compared with what was shown. */
  repeated: string | undefined;
  isOpen: boolean;
  isEnded: boolean;
}

/**
 * The calls of one stream in the order that the vendor's hook needs (contract ag-kit, section 1.7,
 * rules 1 and 2): a call starts once, and results wait while any call is open. A call that a resumed
 * run makes again goes on where the client's copy ends.
 */
export class ShownCalls {
  private readonly calls = new Map<string, ShownCall>();
  private waiting: AgKitEvent[] = [];

  start(id: string, name: string): readonly AgKitEvent[] {
    const known = this.calls.get(id);
    if (known) {
      Object.assign(known, { repeated: '', isOpen: !known.isEnded });
      return [];
    }
    this.calls.set(id, { args: '', repeated: undefined, isOpen: true, isEnded: false });
    return [{ type: 'tool-call-start', toolCallId: id, toolCallName: name }];
  }

  args(id: string, delta: string): readonly AgKitEvent[] {
    const call = this.calls.get(id);
    if (!call || call.isEnded) return [];
    if (call.repeated === undefined) return this.show(call, id, delta);
    call.repeated += delta;
    if (!call.repeated.startsWith(call.args)) return [];
    return this.show(call, id, call.repeated.slice(call.args.length));
  }

  /** A call that was repeated with other arguments than the client has gets no end: it must not be made. */
  end(id: string): readonly AgKitEvent[] {
    const call = this.calls.get(id);
    if (!call || call.isEnded) return [];
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

  result(id: string, result: string): readonly AgKitEvent[] {
    this.waiting.push({ type: 'tool-result', toolCallId: id, result });
    return this.released();
  }

  /** What waits, whatever is open: the stream ends. */
  flush(): readonly AgKitEvent[] {
    return this.waiting.splice(0);
  }

  private show(call: ShownCall, id: string, delta: string): readonly AgKitEvent[] {
    if (delta === '') return [];
    call.args += delta;
    return [{ type: 'tool-call-args', toolCallId: id, delta }];
  }

  private released(): readonly AgKitEvent[] {
    return [...this.calls.values()].some(({ isOpen }) => isOpen) ? [] : this.flush();
  }
}
