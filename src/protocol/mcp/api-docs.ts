import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { McpErrorDto, McpMessageDto, ResourceMetadataDto } from './dto/mcp.dto.js';

/** The tag of this wire in the API's description. */
export const TAG = 'MCP';

/** The descriptions of errors by status (contract mcp-server, section 9). */
const ERROR_TEXT: Readonly<Record<number, string>> = {
  400: 'The body is no message, or the request says something else of itself than its headers.',
  401: 'The credential is missing or not valid.',
  403: 'The caller may not do this, or a page of another origin has sent it.',
  404: 'The session does not exist any more, or in the modern revision the method.',
  405: 'There are no streams but those of calls.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8.',
  429: 'Too many requests, or too many runs wait.',
  503: 'The server is shutting down, or the database is unavailable.',
};

const SESSION = ApiHeader({
  name: 'Mcp-Session-Id',
  required: false,
  description: 'Of the revisions with sessions: as `initialize` has returned it.',
});
const VERSION = ApiHeader({
  name: 'MCP-Protocol-Version',
  required: false,
  description: 'The revision; required in the modern one, where it must agree with `_meta`.',
  example: '2025-11-25',
});

function errors(...statuses: readonly number[]): MethodDecorator[] {
  return statuses.map((status) => ApiResponse({ status, description: ERROR_TEXT[status] ?? '', type: McpErrorDto }));
}

/** Documents the address of all messages. */
export function ApiPost(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Send a message of MCP',
      description:
        'One message of JSON-RPC 2.0, of the revision 2026-07-28 or of one with sessions (2025-11-25, 2025-06-18, 2025-03-26). ' +
        'Each public agent is the tool `ask_<agent>`; `get_answer` and `stop_run` are about its runs. The answer is JSON, or a ' +
        'stream if something is told before the result or it takes long. A call of the modern revision repeats its method and ' +
        'its tool in headers.',
    }),
    SESSION,
    VERSION,
    ApiHeader({ name: 'Mcp-Method', required: false, description: 'Of the modern revision: the method of the body.' }),
    ApiHeader({
      name: 'Mcp-Name',
      required: false,
      description: 'Of the modern revision: the tool, resource or task.',
    }),
    ApiBody({
      type: McpMessageDto,
      examples: {
        initialize: {
          summary: 'Begin a session',
          value: {
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'example', version: '1' } },
          },
        },
      },
    }),
    ApiResponse({
      status: 200,
      description: 'The answer, or a stream of messages of which the last one is the answer.',
      type: McpMessageDto,
    }),
    ApiResponse({ status: 202, description: 'A notification, or the answer to a form, was taken.' }),
    ...errors(400, 401, 403, 404, 413, 415, 429, 503),
  );
}

/** Documents resuming a stream. */
export function ApiResume(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Go on in the stream of a call',
      description:
        'Of the revisions with sessions: the messages behind the named one, exactly as they were first sent, on any instance.',
    }),
    SESSION,
    VERSION,
    ApiHeader({
      name: 'Last-Event-ID',
      required: false,
      description: 'The id of the last event that the client has; without it 405.',
    }),
    ApiResponse({
      status: 200,
      description: 'The rest of the stream.',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }),
    ApiResponse({ status: 204, description: 'The client has all messages, and none will follow.' }),
    ...errors(400, 401, 403, 404, 405, 503),
  );
}

/** Documents ending a session. */
export function ApiDeleteSession(): MethodDecorator {
  return applyDecorators(
    ApiOperation({ summary: 'End a session', description: 'Of the revisions with sessions. Runs are not stopped.' }),
    SESSION,
    ApiResponse({ status: 200, description: 'The session has ended.' }),
    ...errors(400, 401, 403, 404, 503),
  );
}

/** Documents the metadata of the OAuth resource. */
export function ApiMetadata(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'The server as an OAuth resource',
      description: 'RFC 9728. Only if tokens are accepted (`AUTH=oidc`).',
    }),
    ApiResponse({
      status: 200,
      description: 'Who issues tokens, and which scopes there are.',
      type: ResourceMetadataDto,
    }),
    ApiResponse({ status: 404, description: 'The server takes no tokens.' }),
  );
}
