import type { JsonObject, Principal } from '../common/index.js';

/**
 * What a second execution would do. It decides what happens to a call that was running when its
 * worker stopped: `none` runs again freely, `idempotent` runs again with the same idempotency key,
 * `unsafe` never runs again and the doubt is said.
 */
export type ToolEffects = 'none' | 'idempotent' | 'unsafe';

/** What the model is told about a tool. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12 or draft-07) of the arguments object. */
  readonly parameters: JsonObject;
  /** Of a client's tool: it hides a tool of the server with the same name, for wires whose clients expect that. */
  readonly overrides?: boolean;
}

/** The clock of the user's device, as the request told it (contract runs-api, section 8). */
export interface ClientTime {
  /** IANA name, for example `Europe/Berlin`. */
  readonly device_timezone: string;
  /** RFC 3339 with offset. */
  readonly client_now_iso: string;
  /** Milliseconds since the epoch. */
  readonly client_epoch_ms: number;
}

/** How far a call is, as its tool tells it. */
export interface ToolProgress {
  /** Grows with each report; of `total` when that is known. */
  readonly progress: number;
  readonly total?: number;
  /** A sentence for people. */
  readonly message?: string;
}

/**
 * What the owner of a tool says of it, in the words of MCP. They are hints: what is absent is unknown,
 * and the policy takes the careful reading of it.
 */
export interface ToolAnnotations {
  readonly title?: string;
  /** It changes nothing. */
  readonly readOnlyHint?: boolean;
  /** What it changes may be lost; unknown means that it may. */
  readonly destructiveHint?: boolean;
  /** A second call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean;
  /** It deals with the world outside its server. */
  readonly openWorldHint?: boolean;
}

/** What a tool may know of the call it serves. */
export interface ToolContext {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly runId: string;
  readonly callId: string;
  /** The same for every execution of this call, also after a crash: hand it to systems that take one. */
  readonly idempotencyKey: string;
  /** Aborts on cancel, on time-out and when the worker loses the run. */
  readonly signal: AbortSignal;
  /** The device's clock, when the request brought one. */
  readonly clientTime?: ClientTime;
  /**
   * The user's IANA zone: the device's of `clientTime`, else that of the user's settings, else UTC. A zone
   * that the call itself names goes before it (docs/tools.md#time-zones).
   */
  readonly timeZone: string;
  /** The language of the user's settings, a BCP 47 tag; null when none is set. */
  readonly locale: string | null;
  /** Opaque extra properties of the request (`forwarded_props`), never interpreted by the server. */
  readonly forwardedProps: JsonObject;
  /** Tells those who watch the run how far the call is. Never throws; too many reports are thinned out. */
  progress(update: ToolProgress): void;
}

/** What the server knows of a call before it is made. */
export interface CallFacts {
  /** The user's IANA zone (docs/tools.md#time-zones). */
  readonly timeZone: string;
}

/** Completes the arguments of a call. */
export type CompleteArguments = (args: JsonObject, facts: CallFacts) => JsonObject;

/** A tool that the server can run itself. */
export interface ServerTool extends ToolDeclaration {
  readonly effects: ToolEffects;
  /** What its owner says of it, for the policy and for clients. */
  readonly annotations?: ToolAnnotations;
  /** Milliseconds until the call is aborted and answered as failed. */
  readonly timeoutMs: number;
  /** True: a person is asked before each call, also where the policy allows it (see `ToolLimit`). */
  readonly needsPermission?: boolean;
  /** Where it comes from. MCP tools are shown as `mcp_call` with their server's label. */
  readonly origin: { readonly kind: 'local' } | { readonly kind: 'mcp'; readonly serverLabel: string };
  /**
   * Fills in what the model left out and the server knows, before the arguments are validated, judged by
   * the policy and shown to a person. Pure: the same arguments and facts give the same.
   */
  readonly completeArguments?: CompleteArguments;
  /**
   * Runs the tool with validated arguments. The result is text as it is, anything else as JSON;
   * a `ToolAnswer` adds hints of how to show it.
   * A thrown error is an answer for the model, not the end of the run.
   */
  invoke(args: JsonObject, context: ToolContext): Promise<unknown>;
}

/** A server of tools that offers none at the moment, and why, in words that may be shown. */
export interface UnavailableServer {
  readonly serverLabel: string;
  readonly error: string;
}

/** How a server of tools stands: nobody has asked for it yet, it is being connected, it is there, it is not. */
export interface ToolServerState {
  readonly label: string;
  readonly state: 'idle' | 'connecting' | 'up' | 'down';
  /** Nothing works without it, the configuration says. */
  readonly required: boolean;
}

/** Where server tools come from: decorated providers, MCP servers. */
export abstract class ToolSource {
  /** The name of the source, for the log. */
  abstract readonly name: string;
  /** The tools on offer now. A source that is down offers none; it never throws. */
  abstract list(): Promise<readonly ServerTool[]>;

  /** The servers behind this source whose tools the last `list()` had to do without. */
  unavailable?(): readonly UnavailableServer[];

  /** How the servers behind this source stand. Asks nobody. */
  servers?(): readonly ToolServerState[];
}
