import type { AgKitEvent } from './ag-kit.types.js';

/**
 * Keeps the ends of client calls back until the calls stand: a client makes a call when it has ended
 * (contract ag-kit, section 1.4), and a call that a lost worker left behind may be taken back until the
 * run goes on from it. What comes after such an end waits too, so that the order is the log's.
 */
export class StandingCalls {
  private readonly clientCalls = new Set<string>();
  private held: AgKitEvent[] = [];

  /** The call is one of a tool that the client runs. */
  noteClient(callId: string): void {
    this.clientCalls.add(callId);
  }

  pass(events: readonly AgKitEvent[]): readonly AgKitEvent[] {
    const at = this.held.length > 0 ? 0 : events.findIndex((event) => this.isClientEnd(event));
    if (at < 0) return events;
    this.held.push(...events.slice(at));
    return events.slice(0, at);
  }

  /** The run goes on from the calls: they stand. */
  release(): readonly AgKitEvent[] {
    return this.held.splice(0);
  }

  /** The rest without the ends of the calls that nobody shall make. */
  withoutEnds(isDropped: (callId: string) => boolean): readonly AgKitEvent[] {
    return this.release().filter((event) => !(this.isClientEnd(event) && isDropped(event.toolCallId)));
  }

  private isClientEnd(event: AgKitEvent): event is Extract<AgKitEvent, { type: 'tool-call-end' }> {
    return event.type === 'tool-call-end' && this.clientCalls.has(event.toolCallId);
  }
}
