import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { isPlainObject } from '../../../../common/index.js';

/** A message of JSON-RPC that a server has sent. */
export type ServerMessage = Readonly<Record<string, unknown>>;

/** How one request is made. */
export interface ExchangeOptions {
  readonly signal: AbortSignal;
  /** Values of headers `Mcp-Param-…`, over HTTP. */
  readonly mirrored?: Readonly<Record<string, string>>;
  /** Receives what comes before the answer. */
  readonly onNotification?: (message: ServerMessage) => void;
}

/** Carries requests of the modern revision to one server. */
export interface ModernChannel {
  /** Resolves with the message that answers. If the signal aborts, the server is notified. @throws errors of the transport */
  exchange(method: string, params: Readonly<Record<string, unknown>>, options: ExchangeOptions): Promise<ServerMessage>;
  close(): Promise<void>;
}

/** The result of an answer. @throws McpError for an error, and for a result of another kind than was asked for */
export function resultIn({ error, result }: ServerMessage): Readonly<Record<string, unknown>> {
  if (isPlainObject(error)) {
    const { code, message, data } = error;
    throw new McpError(typeof code === 'number' ? code : -32603, typeof message === 'string' ? message : 'Error', data);
  }
  if (!isPlainObject(result)) throw new McpError(ErrorCode.InvalidRequest, 'The answer has no result');
  const type = result['resultType'];
  if (type === 'input_required') {
    throw new McpError(ErrorCode.InvalidRequest, 'The tool asks a person for an input, which is not possible here');
  }
  if (type !== undefined && type !== 'complete') {
    throw new McpError(ErrorCode.InvalidRequest, 'The answer is of a kind that was not asked for');
  }
  return result;
}
