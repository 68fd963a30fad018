import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';

/**
 * Why a request to a server failed: it was not sent, the connection was lost while it ran, it timed out, or
 * the server refused it.
 */
type CallFailure = 'not-sent' | 'lost' | 'timeout' | 'refused';

/** Statuses for a session that the server does not know (any more). The message was not processed. */
const UNKNOWN_SESSION = [400, 404, 410];

/** The request did not leave this machine, or nothing accepted the connection. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

/** @param isClosed whether the connection is known to be closed */
export function failureOf(error: unknown, isClosed: boolean): CallFailure {
  if (error instanceof McpError) {
    if (error.code === Number(ErrorCode.RequestTimeout) && isOwnTimeout(error.data)) return 'timeout';
    return error.code === Number(ErrorCode.ConnectionClosed) && isClosed ? 'lost' : 'refused';
  }
  if (error instanceof StreamableHTTPError) {
    return UNKNOWN_SESSION.includes(error.code ?? 0) ? 'not-sent' : 'lost';
  }
  if (error instanceof Error && error.message === 'Not connected') return 'not-sent';
  return NOT_SENT.some((code) => codesOf(error).includes(code)) ? 'not-sent' : 'lost';
}

/** Servers also use the timeout code. The client's own timeouts contain the time that it waited. */
function isOwnTimeout(data: unknown): boolean {
  return typeof data === 'object' && data !== null && ('timeout' in data || 'maxTotalTimeout' in data);
}

/** The codes of an error, of its causes and of the errors it aggregates. */
function codesOf(error: unknown, depth = 4): string[] {
  if (typeof error !== 'object' || error === null || depth === 0) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...codesOf(cause, depth - 1),
    ...(Array.isArray(errors) ? errors.flatMap((one) => codesOf(one, depth - 1)) : []),
  ];
}

/** Describes an error for the log, including the codes of its causes. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const codes = codesOf(error.cause);
  return codes.length > 0 ? `${error.message} (${codes.join(', ')})` : error.message;
}

const MARK = '[secret]';

/** Removes the secrets of a server's configuration from a text and limits it to `limit` characters. */
export function redact(text: string, secrets: readonly string[], limit: number): string {
  const clean = [...secrets]
    .sort((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, MARK), text);
  return clean.length > limit ? `${clean.slice(0, limit)}…` : clean;
}
