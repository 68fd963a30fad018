import { AppError, type ErrorCode, type JsonObject } from '../../common/index.js';
import type { HttpError } from '../http/errors/http-error.js';
import type { Version } from './a2a.types.js';

/** How one error is written (contract a2a, section 11). */
interface ErrorRow {
  readonly code: number;
  /** The HTTP status of the REST binding. */
  readonly status: number;
  /** The name of the status in `google.rpc`. */
  readonly rpc: string;
}

const OWN = {
  TASK_NOT_FOUND: { code: -32001, status: 404, rpc: 'NOT_FOUND' },
  TASK_NOT_CANCELABLE: { code: -32002, status: 400, rpc: 'FAILED_PRECONDITION' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { code: -32003, status: 400, rpc: 'FAILED_PRECONDITION' },
  UNSUPPORTED_OPERATION: { code: -32004, status: 400, rpc: 'FAILED_PRECONDITION' },
  CONTENT_TYPE_NOT_SUPPORTED: { code: -32005, status: 400, rpc: 'INVALID_ARGUMENT' },
  INVALID_AGENT_RESPONSE: { code: -32006, status: 500, rpc: 'INTERNAL' },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: { code: -32007, status: 400, rpc: 'FAILED_PRECONDITION' },
  VERSION_NOT_SUPPORTED: { code: -32009, status: 400, rpc: 'FAILED_PRECONDITION' },
  PARSE_ERROR: { code: -32700, status: 400, rpc: 'INVALID_ARGUMENT' },
  INVALID_REQUEST: { code: -32600, status: 400, rpc: 'INVALID_ARGUMENT' },
  METHOD_NOT_FOUND: { code: -32601, status: 404, rpc: 'NOT_FOUND' },
  INVALID_PARAMS: { code: -32602, status: 400, rpc: 'INVALID_ARGUMENT' },
  INTERNAL: { code: -32603, status: 500, rpc: 'INTERNAL' },
  STREAM_CLOSED: { code: -32603, status: 500, rpc: 'INTERNAL' },
} as const satisfies Record<string, ErrorRow>;

/** The reason of an error of the protocol itself. */
export type A2aReason = keyof typeof OWN;

const NAMES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  409: 'ABORTED',
  413: 'RESOURCE_EXHAUSTED',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  508: 'FAILED_PRECONDITION',
};

/** Errors of the server that are those of the protocol. */
const REASONS: Partial<Record<ErrorCode, A2aReason>> = {
  INVALID_JSON: 'PARSE_ERROR',
  RUN_NOT_FOUND: 'TASK_NOT_FOUND',
  TASK_NOT_FOUND: 'TASK_NOT_FOUND',
  INTERRUPT_ALREADY_ANSWERED: 'UNSUPPORTED_OPERATION',
  INTERRUPT_EXPIRED: 'UNSUPPORTED_OPERATION',
  TOOL_CALL_ALREADY_ANSWERED: 'UNSUPPORTED_OPERATION',
  EVENTS_EXPIRED: 'UNSUPPORTED_OPERATION',
  RESOURCE_NOT_FOUND: 'METHOD_NOT_FOUND',
  METHOD_NOT_ALLOWED: 'METHOD_NOT_FOUND',
  UNSUPPORTED_MEDIA_TYPE: 'CONTENT_TYPE_NOT_SUPPORTED',
};

/** The statuses that a JSON-RPC answer keeps; all others are 200. */
const KEPT: ReadonlySet<number> = new Set([401, 403, 413, 415, 429, 503, 508]);

/** The domain of errors of the protocol, and of others. */
const DOMAIN = 'a2a-protocol.org';

/** An error of the protocol, with what its details name. */
export class A2aError extends AppError {
  constructor(
    readonly reason: A2aReason,
    message: string,
    readonly metadata: Readonly<Record<string, string>> = {},
  ) {
    super(CODES[reason] ?? 'INVALID_PARAMETER', message, { wireCode: reason, status: OWN[reason].status });
  }
}

const CODES: Partial<Record<A2aReason, ErrorCode>> = {
  TASK_NOT_FOUND: 'TASK_NOT_FOUND',
  METHOD_NOT_FOUND: 'RESOURCE_NOT_FOUND',
  PARSE_ERROR: 'INVALID_JSON',
  INTERNAL: 'INTERNAL_ERROR',
  STREAM_CLOSED: 'SHUTTING_DOWN',
  INVALID_AGENT_RESPONSE: 'AGENT_ERROR',
};

/** The error for a task that is not there, or not the caller's. */
export function taskNotFound(taskId: string): A2aError {
  return new A2aError('TASK_NOT_FOUND', 'Task not found', { taskId });
}

/** The error that ends a stream which the server cuts: the task goes on. */
export const STREAM_CLOSED: HttpError = {
  status: 503,
  code: 'SHUTTING_DOWN',
  wireCode: 'STREAM_CLOSED',
  message: 'The server has closed the stream. The task goes on: subscribe to it again',
};

/** An error in the shapes of all bindings. */
export interface WireError {
  /** The status of an answer of the REST binding. */
  readonly status: number;
  /** The status of an answer of the JSON-RPC binding. */
  readonly rpcStatus: number;
  /** The error of a JSON-RPC answer. */
  readonly rpc: JsonObject;
  /** The body of an answer of the REST binding. */
  readonly rest: JsonObject;
}

/** @param metadata what the details name besides the fields that are wrong */
export function wireError(
  error: HttpError,
  version: Version = '1.0',
  metadata: Readonly<Record<string, string>> = {},
): WireError {
  const { reason, row } = rowOf(error);
  const status =
    error.code === 'UNSUPPORTED_MEDIA_TYPE' || error.code === 'RUN_ID_CONFLICT' ? error.status : row.status;
  const { message } = error;
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: row.code === -32000 ? 'parley' : DOMAIN,
    metadata: { ...metadata },
  };
  const violations = row.code === -32602 ? violationsOf(error) : [];
  const details = [
    info,
    ...(violations.length > 0
      ? [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }]
      : []),
  ];
  const data =
    version === '1.0'
      ? details
      : { reason, ...metadata, ...(violations.length > 0 && { fieldViolations: violations }) };
  return {
    status,
    rpcStatus: KEPT.has(status) ? status : 200,
    rpc: { code: row.code, message, data },
    rest: { error: { code: status, status: row.rpc, message, details } },
  };
}

/** What the details of a thrown error name. */
export function metadataOf(error: unknown): Readonly<Record<string, string>> {
  return error instanceof A2aError ? error.metadata : {};
}

function rowOf({ code, wireCode, status }: HttpError): { readonly reason: string; readonly row: ErrorRow } {
  const known = wireCode !== undefined && Object.hasOwn(OWN, wireCode) ? (wireCode as A2aReason) : REASONS[code];
  if (known) return { reason: known, row: OWN[known] };
  // The address names the agent.
  if (code === 'AGENT_NOT_FOUND')
    return { reason: 'INVALID_PARAMS', row: { ...OWN.INVALID_PARAMS, status: 404, rpc: 'NOT_FOUND' } };
  const name = NAMES[status];
  // What the server refuses for reasons outside of the protocol.
  if (name !== undefined && status !== 409)
    return { reason: wireCode ?? code, row: { code: -32000, status, rpc: name } };
  if (status >= 500) return { reason: 'INTERNAL', row: OWN.INTERNAL };
  return { reason: 'INVALID_PARAMS', row: OWN.INVALID_PARAMS };
}

function violationsOf({ details = [] }: HttpError): JsonObject[] {
  return details.filter(({ path }) => path !== '').map(({ path, message }) => ({ field: path, description: message }));
}
