import { uuid } from '../lib/random.js';
import type { Interrupt } from '../api/types.js';
import type { PendingCall } from './live-run.js';
import type { ClientTool, Turn, WireChoice } from './wire.js';

/** What the page shows of a conversation besides its entries. */
export interface TalkState {
  readonly session: string;
  readonly status: 'idle' | 'sending' | 'running' | 'reconnecting' | 'restoring';
  /** The newest run, by the server's id. */
  readonly runId: string | undefined;
  /** What waits for a person. */
  readonly interrupts: readonly Interrupt[];
  /** Calls of tools of this page that wait for a result. */
  readonly calls: readonly PendingCall[];
  readonly refusals: Refusals;
}

/** Why the person may not do something with a conversation that the server has, in its words; null where they may. */
export interface Refusals {
  /** Send anything. */
  readonly send: string | null;
  /** Stop the newest run. */
  readonly stop: string | null;
}

/** Everything may be done, as far as the page knows. */
export const NO_REFUSALS: Refusals = { send: null, stop: null };

/** What goes with a turn besides its content. */
export interface TurnOptions {
  readonly wire: WireChoice;
  readonly agent: string;
  readonly tools: readonly ClientTool[];
  /** Whether the person may send turns. Who may only decide gives answers without the wire. Default: true. */
  readonly maySend?: boolean;
}

/** A turn of a conversation. @param place whose and which session it is, and whether it begins with the turn */
export function turnOf(
  place: Pick<Turn, 'user' | 'session' | 'isFirst'>,
  { agent, tools, wire }: TurnOptions,
  content: Partial<Turn>,
): Turn {
  const nothing = { text: '', images: [], results: [], answers: [] };
  return { ...place, ...nothing, runId: uuid(), agent, ...content, tools: wire.hasTools ? tools : [] };
}
