import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';

/**
 * What went wrong with a request to a server: it never reached it; the connection was lost while it
 * ran; nothing came in time; or the server itself refused it.
 */
export type CallFailure = 'not-sent' | 'lost' | 'timeout' | 'refused';

/** Answers to a session that the server does not know (any more): the message was not looked at. */
const UNKNOWN_SESSION = [400, 404, 410];

/** The request never left this machine, or nobody took it. */
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

/** Servers use the codes of time-outs too; the client's own say how long it waited. */
function isOwnTimeout(data: unknown): boolean {
  return typeof data === 'object' && data !== null && ('timeout' in data || 'maxTotalTimeout' in data);
}

/** The codes of an error, of its causes and of the errors it stands for. */
function codesOf(error: unknown, depth = 4): string[] {
  if (typeof error !== 'object' || error === null || depth === 0) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...codesOf(cause, depth - 1),
    ...(Array.isArray(errors) ? errors.flatMap((one) => codesOf(one, depth - 1)) : []),
  ];
}

/** A sentence about an error for the log; the causes of failed requests say more than the error itself. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const codes = codesOf(error.cause);
  return codes.length > 0 ? `${error.message} (${codes.join(', ')})` : error.message;
}
