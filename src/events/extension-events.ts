import type { Json, JsonObject } from '../common/index.js';
import type { ErrorModel } from './agent-objects.js';

/*
 * Events that extend the Agent API. Other wires show them; the stream of the Agent API leaves them out.
 */

/** An event may name the subagent that it comes from. Messages name it in their metadata (`SUBAGENT_ID`). */
interface OfSubagent {
  readonly subagent_id?: string;
}

/**
 * The session's shared state: a whole snapshot or an RFC 6902 patch. `initial` marks the state that the run
 * started with.
 */
export type StateEvent = OfSubagent &
  (
    | { readonly object: 'state'; readonly kind: 'snapshot'; readonly snapshot: Json; readonly initial?: true }
    | { readonly object: 'state'; readonly kind: 'delta'; readonly patch: readonly JsonObject[] }
  );

/** The start or end of a named phase of the run. */
export interface StepEvent extends OfSubagent {
  readonly object: 'step';
  readonly name: string;
  readonly status: 'started' | 'finished';
}

/** Progress that is shown but is not a message: a whole snapshot or an RFC 6902 patch. */
export type ActivityEvent = OfSubagent &
  (
    | {
        readonly object: 'activity';
        readonly kind: 'snapshot';
        readonly id: string;
        readonly activity_type: string;
        readonly content: JsonObject;
      }
    | {
        readonly object: 'activity';
        readonly kind: 'delta';
        readonly id: string;
        readonly activity_type: string;
        readonly patch: readonly JsonObject[];
      }
  );

/** Any other event of an agent or the server, identified by its name. */
export interface CustomEvent extends OfSubagent {
  readonly object: 'custom';
  readonly name: string;
  readonly value: Json;
}

/** An event of another system, passed on unchanged. `source` names the system. */
export interface RawEvent extends OfSubagent {
  readonly object: 'raw';
  readonly event: Json;
  readonly source?: string;
}

/**
 * The start or end of a part of the run that a subagent executes. `id` identifies the part; `parent_id` is
 * the part that contains it, `call_id` the tool call that started it.
 */
export type SubagentEvent =
  | {
      readonly object: 'subagent';
      readonly status: 'started';
      readonly id: string;
      readonly name: string;
      readonly description?: string;
      readonly parent_id?: string;
      readonly call_id?: string;
    }
  | { readonly object: 'subagent'; readonly status: 'finished'; readonly id: string; readonly result?: Json }
  | { readonly object: 'subagent'; readonly status: 'failed'; readonly id: string; readonly error: ErrorModel };

/** The metadata key that names the subagent of a message. */
export const SUBAGENT_ID = 'subagent_id';

/** The `custom` event of a resumed run; its value is a `RunRecovered` or an `UpstreamRecovered`. */
export const RUN_RECOVERED = 'run.recovered';

/** A worker was lost and another one continues. The named messages are discarded; they are started again. */
export interface RunRecovered {
  readonly attempt: number;
  readonly discardedMessageIds: readonly string[];
  /**
   * The index of the journal step that the run continues with: the number of finished steps, whose stored
   * results are used. 0: the run starts again from its first step.
   */
  readonly resumedFromStep: number;
}

/** The server of a remote agent has lost its worker and continues. The named messages are discarded; they are started again. */
export interface UpstreamRecovered {
  readonly upstream: true;
  readonly discardedMessageIds: readonly string[];
}

/**
 * The run ends here and waits for the results of client tools, for an approval, or for an input that an agent
 * requested. The terminal response event follows.
 */
export interface InterruptEvent {
  readonly object: 'interrupt';
  readonly id: string;
  /** `approval` or `input` if `items` is not empty. */
  readonly reason: 'client_tool' | 'approval' | 'input';
  readonly message: string | null;
  /** The client tool calls whose results this interrupt waits for. */
  readonly call_ids: readonly string[];
  readonly response_schema: JsonObject | null;
  /** The approvals and inputs to answer; empty if only client tools are waited for. */
  readonly items: readonly OpenInterrupt[];
}

/** One question to a person: the approval of a tool call, or an input that an agent requested. */
export interface OpenInterrupt {
  /** The id that an answer names. It does not change while the interrupt is open. */
  readonly id: string;
  readonly kind: 'approval' | 'input';
  /** The call that waits for approval; null for an input. */
  readonly call_id: string | null;
  readonly tool_name: string | null;
  /** JSON text as the model wrote it. */
  readonly arguments: string | null;
  /** The label of the MCP server; `local` for this server's own tools. */
  readonly server_label: string | null;
  readonly reason: string | null;
  readonly message: string | null;
  /** JSON Schema of an input. */
  readonly response_schema: JsonObject | null;
  /** Whether an approval may change the arguments. */
  readonly may_edit: boolean;
  /** Milliseconds since the epoch; null if it never expires. */
  readonly expires_at: number | null;
}
