import type { ToolProgress } from '../../tool.js';
import type { CallResult } from './wire-schemas.js';

/** The eras of the protocol: with sessions, or with requests that describe themselves (2026-07-28). */
export type Era = 'legacy' | 'modern';

/** Most pages of one list, in case a server never ends it. */
export const MOST_PAGES = 100;
/** Most tools of one server. */
export const MOST_TOOLS = 1000;

/** Callbacks of a connection. */
export interface ConnectionEvents {
  /** Called once when the connection has ended, by either side. Not called if it never opened. */
  onClosed(): void;
  onToolsChanged(): void;
  /** Receives each line that the server's process writes to its standard error. */
  onLine(line: string): void;
}

/** One call of a tool. */
export interface McpCall {
  readonly name: string;
  /** JSON text, which is sent as it is. */
  readonly args: string;
  readonly idempotencyKey: string;
  /** Sent as `_meta.traceparent`, which also servers over stdio get. */
  readonly traceparent?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (update: ToolProgress) => void;
}

/** What is open to one server, in either era. After it has ended, a new one is needed. */
export interface McpSession {
  readonly era: Era;
  /** True if no request can be sent any more. */
  readonly isClosed: boolean;

  /** The server's tools from all pages of its list, not validated. @throws if a page cannot be read */
  listTools(timeoutMs: number): Promise<readonly unknown[]>;

  /**
   * Calls a tool. A progress report restarts the timeout, up to the configured total. If the signal aborts
   * or the call times out, the server is notified that the call is canceled.
   *
   * @throws McpError, StreamableHTTPError and errors of the transport (see `failureOf`)
   */
  call(call: McpCall): Promise<CallResult>;

  /** Ends it, and the process of the server. Calls in progress fail as lost. */
  close(): Promise<void>;
}
