import type { JsonObject, Principal } from '../../common/index.js';
import type { UiHints } from '../../ui-schema/index.js';

/**
 * What a second execution would do. It decides what happens to a call that was running when its worker
 * stopped: `none` is run again, `idempotent` is run again with the same idempotency key, `unsafe` is never
 * run again, and the model and the user learn that its outcome is unknown.
 */
export type ToolEffects = 'none' | 'idempotent' | 'unsafe';

/** The declaration of a tool, as the model sees it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12 or draft-07) of the arguments object. */
  readonly parameters: JsonObject;
  /** Of a client tool: it replaces a server tool of the same name, for wires whose clients expect that. */
  readonly overrides?: boolean;
}

/** The clock of the user's device, from the request (contract runs-api, section 8). */
export interface ClientTime {
  /** IANA name, for example `Europe/Berlin`. */
  readonly device_timezone: string;
  /** RFC 3339 with offset. */
  readonly client_now_iso: string;
  /** Milliseconds since the epoch. */
  readonly client_epoch_ms: number;
}

/** A progress report of a tool call. */
export interface ToolProgress {
  /** Grows with each report, up to `total` if that is known. */
  readonly progress: number;
  readonly total?: number;
  /** A sentence for the user. */
  readonly message?: string;
}

/**
 * Hints about a tool from its provider, as MCP defines them. An absent hint is unknown, and the policy then
 * assumes the worse case.
 */
export interface ToolAnnotations {
  readonly title?: string;
  /** The tool changes nothing. */
  readonly readOnlyHint?: boolean;
  /** The tool may overwrite or delete data. Unknown counts as true. */
  readonly destructiveHint?: boolean;
  /** A second call with the same arguments has no further effect. */
  readonly idempotentHint?: boolean;
  /** The tool interacts with systems outside its server. */
  readonly openWorldHint?: boolean;
}

/** What a tool can read about the call that it executes. */
export interface ToolContext {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly runId: string;
  readonly callId: string;
  /** The arguments as JSON text, exactly as they were shown and approved. */
  readonly argumentsText: string;
  /** Equal for every execution of this call, also after a crash. Pass it to systems that accept one. */
  readonly idempotencyKey: string;
  /** Aborts on cancellation, on timeout and when the worker loses the run. */
  readonly signal: AbortSignal;
  /** The device's clock, if the request contained it. */
  readonly clientTime?: ClientTime;
  /**
   * The user's IANA zone: the device's from `clientTime`, otherwise that of the user's settings, otherwise
   * UTC. A zone that the call itself names takes precedence (docs/tools.md#time-zones).
   */
  readonly timeZone: string;
  /** The language of the user's settings, a BCP 47 tag; null if none is set. */
  readonly locale: string | null;
  /** To be passed to services that the tool calls, as the header `traceparent`; absent if the call is not traced. */
  readonly traceparent?: string;
  /** Opaque extra properties of the request (`forwarded_props`), never interpreted by the server. */
  readonly forwardedProps: JsonObject;
  /** Reports progress to the clients of the run. Never throws; too frequent reports are dropped. */
  progress(update: ToolProgress): void;
}

/** What the server knows about a call before it is made. */
export interface CallFacts {
  /** The user's IANA zone (docs/tools.md#time-zones). */
  readonly timeZone: string;
}

/** Adds arguments that the model omitted. */
export type CompleteArguments = (args: JsonObject, facts: CallFacts) => JsonObject;

/** A tool that the server can run itself. */
export interface ServerTool extends ToolDeclaration {
  readonly effects: ToolEffects;
  /** Hints of its provider, for the policy and for clients. */
  readonly annotations?: ToolAnnotations;
  /** Milliseconds after which the call is aborted and answered as failed. */
  readonly timeoutMs: number;
  /** If true, its schema cannot be checked here: it is shown to the model, and any arguments are passed on. */
  readonly isUnchecked?: boolean;
  /** If true, each call requires an approval, also where the policy allows it (see `ToolRestriction`). */
  readonly requiresApproval?: boolean;
  /** Its source. MCP tools are shown as `mcp_call` with the label of their server, which may have another name for them. */
  readonly origin:
    { readonly kind: 'local' } | { readonly kind: 'mcp'; readonly serverLabel: string; readonly toolName?: string };
  /**
   * Adds arguments that the model omitted and the server knows, before the arguments are validated, checked
   * against the policy and shown to a person. Must be pure: the same arguments and facts give the same result.
   */
  readonly completeArguments?: CompleteArguments;
  /**
   * Valid arguments with the defaults that the tool computes with, for the policy: a rule about a value must not be avoided
   * by leaving it out. Absent: it computes with what it gets.
   */
  readonly withDefaults?: (args: JsonObject) => JsonObject;
  /**
   * Runs the tool with validated arguments. Integers beyond 2^53 are bigints, or text where the schema takes text;
   * an MCP server gets them as the model wrote them. A string result is passed on unchanged, any other value as
   * JSON; a `ToolAnswer` adds hints for user interfaces. A thrown error is answered to the model and does
   * not end the run.
   */
  invoke(args: JsonObject, context: ToolContext): Promise<unknown>;
}

/** What a tool has answered, block by block, as MCP has it. */
export interface ToolContents {
  /** Blocks of the types text, image, audio, resource and resource_link. */
  readonly content: readonly JsonObject[];
  /** The same as a value. */
  readonly structuredContent?: JsonObject;
}

/** A tool result with hints for user interfaces, which the model does not see, or with images, which it does. */
export class ToolAnswer {
  /**
   * @param images `data:` URLs
   * @param contents for clients that call the tool themselves, where the text is not all
   */
  constructor(
    readonly value: unknown,
    readonly uiHints: UiHints | undefined,
    readonly images: readonly string[] = [],
    readonly contents?: ToolContents,
  ) {}
}

/**
 * Thrown by a tool to tell the model why it failed: the model sees the message verbatim. Any other error is
 * answered with a general sentence, and its cause goes to the log only.
 */
export class ToolError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ToolError';
  }
}
