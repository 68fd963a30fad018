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
  /** Opaque extra properties of the request (`forwarded_props`), never interpreted by the server. */
  readonly forwardedProps: JsonObject;
}

/** A tool that the server can run itself. */
export interface ServerTool extends ToolDeclaration {
  readonly effects: ToolEffects;
  /** Milliseconds until the call is aborted and answered as failed. */
  readonly timeoutMs: number;
  /** Where it comes from. MCP tools are shown as `mcp_call` with their server's label. */
  readonly origin: { readonly kind: 'local' } | { readonly kind: 'mcp'; readonly serverLabel: string };
  /**
   * Runs the tool with validated arguments. The result is text as it is, anything else as JSON.
   * A thrown error is an answer for the model, not the end of the run.
   */
  invoke(args: JsonObject, context: ToolContext): Promise<unknown>;
}

/** Where server tools come from: decorated providers, MCP servers. */
export abstract class ToolSource {
  /** The name of the source, for the log. */
  abstract readonly name: string;
  /** The tools on offer now. A source that is down offers none; it never throws. */
  abstract list(): Promise<readonly ServerTool[]>;
}
