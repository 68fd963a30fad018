import { AppError, type ErrorCode, type Json, type JsonObject } from '../../common/index.js';
import type { HttpError } from '../http/errors/http-error.js';
import type { RpcId } from './mcp.types.js';

/** Codes of JSON-RPC, and those of the modern revision. */
export const CODES = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL: -32603,
  REFUSED: -32000,
  HEADER_MISMATCH: -32020,
  MISSING_CAPABILITY: -32021,
  UNSUPPORTED_VERSION: -32022,
} as const;

/** A reason of an error of the protocol itself. */
export type McpReason = keyof typeof CODES;

const APP_CODES: Readonly<Partial<Record<McpReason, ErrorCode>>> = {
  PARSE_ERROR: 'INVALID_JSON',
  METHOD_NOT_FOUND: 'RESOURCE_NOT_FOUND',
};

/** An error of the protocol: nothing that an agent has done (contract mcp-server, section 9). */
export class McpError extends AppError {
  /**
   * @param options.status that of the answer; default 200
   * @param options.data further data of the error
   */
  constructor(
    readonly reason: McpReason,
    message: string,
    { status = 200, data }: { readonly status?: number; readonly data?: Json } = {},
  ) {
    super(APP_CODES[reason] ?? 'INVALID_PARAMETER', message, { wireCode: reason, status });
    this.data = data;
  }

  readonly data: Json | undefined;
}

/** An error object of JSON-RPC. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** Statuses above 500 of requests that the server refuses. */
const REFUSALS: ReadonlySet<number> = new Set([503, 508]);

/** The error of an answer to something that was thrown. @param thrown for the data of an `McpError` */
export function rpcError({ code, wireCode, status, message }: HttpError, thrown?: unknown): RpcError {
  if (thrown instanceof McpError) {
    return { code: CODES[thrown.reason], message, ...(thrown.data !== undefined && { data: thrown.data }) };
  }
  if (wireCode !== undefined && Object.hasOwn(CODES, wireCode)) return { code: CODES[wireCode as McpReason], message };
  if (code === 'INVALID_JSON') return { code: CODES.PARSE_ERROR, message };
  if (status === 404 || status === 405) return { code: CODES.METHOD_NOT_FOUND, message };
  if (status >= 500 && !REFUSALS.has(status)) return { code: CODES.INTERNAL, message };
  if (status === 400) return { code: CODES.INVALID_REQUEST, message };
  // What the server refuses for reasons outside of the protocol.
  return { code: CODES.REFUSED, message, data: { code } };
}

/** The status of an answer with such an error. */
export function rpcStatus({ wireCode, status }: HttpError): number {
  const isOwn = wireCode !== undefined && Object.hasOwn(CODES, wireCode);
  return isOwn || status < 500 || REFUSALS.has(status) ? status : 200;
}

/** An answer with an error. */
export function errorAnswer(id: RpcId | null, error: RpcError): JsonObject {
  return { jsonrpc: '2.0', id, error: { ...error } };
}
