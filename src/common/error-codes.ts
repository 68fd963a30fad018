/**
 * The catalogue of errors: a stable code, the HTTP status if the error happens before a stream, and the default
 * message. The codes are those of the Agent API (contract agent-api, section a.3); other wires map them. Errors that only one wire has are defined with that wire.
 */
export const ERROR_CATALOGUE = {
  INVALID_JSON: { status: 400, message: 'The request body is not valid JSON' },
  INVALID_PARAMETER: { status: 400, message: 'A request parameter is invalid' },
  MISSING_PARAMETER: { status: 400, message: 'A required request parameter is missing' },
  PARAMETER_VALIDATION: { status: 400, message: 'The request does not have the expected shape' },
  AUTH_FAILED: { status: 401, message: 'Authentication failed' },
  PERMISSION_DENIED: { status: 403, message: 'Permission denied' },
  RESOURCE_NOT_FOUND: { status: 404, message: 'Not found' },
  RUN_NOT_FOUND: { status: 404, message: 'Run not found' },
  TASK_NOT_FOUND: { status: 404, message: 'Task not found' },
  SESSION_NOT_FOUND: { status: 404, message: 'Session not found' },
  AGENT_NOT_FOUND: { status: 404, message: 'Agent type not found' },
  INTERRUPT_NOT_FOUND: { status: 404, message: 'Interrupt not found' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method not allowed' },
  SESSION_BUSY: { status: 409, message: 'Another run of this session is in progress' },
  RUN_ID_CONFLICT: { status: 409, message: 'This run id was already used with another request' },
  SESSION_EXISTS: { status: 409, message: 'A session with this id already exists' },
  EVENTS_EXPIRED: { status: 410, message: 'The events of this run were removed; its final response is kept' },
  CURSOR_AHEAD: { status: 409, message: 'The cursor is beyond the end of this run' },
  TOOL_CALL_ALREADY_ANSWERED: { status: 409, message: 'This call was already answered' },
  INTERRUPT_ALREADY_ANSWERED: { status: 409, message: 'This interrupt was already answered' },
  INTERRUPT_PENDING: { status: 409, message: 'The conversation has open interrupts that the request does not answer' },
  INTERRUPT_EXPIRED: { status: 410, message: 'This interrupt has expired' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body exceeds the size limit' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The content type must be application/json' },
  ATTACHMENT_NOT_FOUND: { status: 404, message: 'Attachment not found' },
  ATTACHMENT_TOO_LARGE: { status: 413, message: 'The file exceeds the size limit' },
  ATTACHMENT_EMPTY: { status: 422, message: 'The file is empty' },
  ATTACHMENT_INVALID: { status: 422, message: 'The file is not a valid image' },
  INVALID_SIGNATURE: { status: 403, message: 'The signature of the URL is not valid' },
  SIGNATURE_EXPIRED: { status: 403, message: 'The URL has expired' },
  INVALID_USER_SETTINGS: { status: 422, message: 'The settings are invalid' },
  RATE_LIMIT_EXCEEDED: { status: 429, message: 'Too many requests' },
  QUEUE_FULL: { status: 429, message: 'Too many runs are waiting' },
  AGENT_UNKNOWN_ERROR: { status: 500, message: 'Unknown agent error' },
  INTERNAL_ERROR: { status: 500, message: 'Internal error' },
  DATABASE_ERROR: { status: 503, message: 'The database is not available' },
  ATTACHMENT_STORE_ERROR: { status: 503, message: 'The attachment store is not available' },
  NOT_READY: { status: 503, message: 'The server is not ready' },
  SHUTTING_DOWN: { status: 503, message: 'The server is shutting down' },
  AGENT_ERROR: { status: 500, message: 'The agent failed' },
  CONFIGURATION_ERROR: { status: 500, message: 'The server is not configured correctly' },
  TIMEOUT: { status: 504, message: 'The run took too long' },
  WORKER_LOST: { status: 500, message: 'The worker of this run stopped and the run could not be resumed' },
  JOURNAL_MISMATCH: { status: 500, message: 'The run cannot be resumed because its agent has changed' },
  TOOL_NOT_FOUND: { status: 404, message: 'Tool not found' },
  TOOL_EXECUTION_FAILED: { status: 500, message: 'The tool failed' },
  TOOL_IN_DOUBT: {
    status: 500,
    message:
      'The server stopped while an unsafe tool was running. It is unknown whether the call took effect; it was not repeated',
  },
  MCP_CONNECTION_FAILED: { status: 502, message: 'The MCP server could not be reached' },
  MCP_PROTOCOL_ERROR: { status: 502, message: 'The MCP server violated the protocol' },
  MODEL_EXECUTION_FAILED: { status: 502, message: 'The model call failed' },
  MODEL_TIMEOUT: { status: 504, message: 'The model did not answer in time' },
  MODEL_NOT_FOUND: { status: 502, message: 'The model was not found' },
  MODEL_UNAUTHORIZED_ACCESS: { status: 502, message: 'The model refused the credentials of this server' },
  MODEL_QUOTA_EXCEEDED: { status: 429, message: 'The model quota is exhausted' },
  MODEL_CONTEXT_LENGTH_EXCEEDED: { status: 400, message: 'The conversation is too long for the model' },
} as const satisfies Record<string, { status: number; message: string }>;

/** A key of the catalogue. */
export type ErrorCode = keyof typeof ERROR_CATALOGUE;

/** Seconds after which a client may repeat a request that the server could not serve for the moment. */
export const RETRY_AFTER_SECONDS = 5;
