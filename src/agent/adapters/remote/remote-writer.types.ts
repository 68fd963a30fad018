import type { ActivityEvent } from '../../../events/index.js';
import type { EarlierCall, ToldCall } from './remote-calls.js';

/** What has been written since the last boundary, for the journal. */
export interface WrittenPart {
  readonly messageIds: readonly string[];
  /** Calls that have begun or ended. */
  readonly calls: readonly ToldCall[];
  /** Approval requests of the upstream, by the ids of our interrupts. */
  readonly approvals: Readonly<Record<string, string>>;
  /** The upstream's ids of messages, by ours. */
  readonly messages: Readonly<Record<string, string>>;
  /** Activities that have begun or changed. */
  readonly activities: readonly ActivityEvent[];
  /** True if there was anything beside messages. */
  readonly hasEvents: boolean;
  /** True if the shared state was changed. */
  readonly hasState: boolean;
}

/** A call that waits for a person. */
export interface AskedCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  /** Whose tool it is. */
  readonly label?: string;
  /** The upstream's id of the call, if it was shown. */
  readonly callId?: string;
  /** The question. */
  readonly message?: string;
}

/** What is known of the result of a call. */
export interface OutputFacts {
  readonly isError?: boolean;
  /** The tool, if the call was not shown. */
  readonly name?: string;
  /** The upstream's id of the message. */
  readonly source?: string | undefined;
  /** The key of the message that it is taken back with. */
  readonly owner?: string;
}

/** How the writer is set up. */
export interface WriterSetting {
  /** Which exchange of the run it is, from 0. */
  readonly round: number;
  /** How long an approval waits, in milliseconds. */
  readonly approvalExpiresInMs: number;
  readonly sharesState: boolean;
  /** Calls of earlier runs that have no result yet. */
  readonly earlier: readonly EarlierCall[];
}
