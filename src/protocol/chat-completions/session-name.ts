import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../common/index.js';
import { OpenAiError } from '../openai/index.js';
import { TOOL_TRACES, type ToolTrace } from './chat-completions.settings.js';

const SESSION_HEADER = 'x-session-id';

/**
 * The session that a request names: the header `X-Session-Id`, otherwise the first of the further headers that is
 * present, or `metadata.session_id` (contract chat-completions, section B2). A user is never a session.
 *
 * @param further names of headers in lower case
 * @throws OpenAiError for two different names, or one that cannot be a session
 */
export function sessionNameOf(
  headers: IncomingHttpHeaders,
  metadata: JsonObject,
  further: readonly string[],
): string | undefined {
  const given = metadata['session_id'];
  const inBody = typeof given === 'string' && given !== '' ? checked(given, 'metadata.session_id') : undefined;
  const header = [SESSION_HEADER, ...further].find((name) => headers[name] !== undefined && headers[name] !== '');
  if (header === undefined) return inBody;
  const inHeader = checked(textOf(headers, header), header);
  if (inBody !== undefined && inBody !== inHeader) {
    throw invalid('session_id', `metadata.session_id and the header ${header} name different sessions`);
  }
  return inHeader;
}

/** How the request wants to see the server's calls. @throws OpenAiError for an unknown word */
export function toolTraceOf(headers: IncomingHttpHeaders, standard: ToolTrace): ToolTrace {
  const given = headers['x-tool-trace'];
  if (given === undefined) return standard;
  const trace = TOOL_TRACES.find((one) => one === given);
  if (trace) return trace;
  throw invalid('X-Tool-Trace', `X-Tool-Trace must be one of ${TOOL_TRACES.join(', ')}`);
}

/** Node reads headers as Latin-1, but clients write UTF-8. */
function textOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return Buffer.from(Array.isArray(value) ? value.join(',') : (value ?? ''), 'latin1').toString('utf8');
}

function checked(name: string, path: string): string {
  if (name.length <= 256 && /^[^\p{Cc}\p{Cs}\ufffd]+$/u.test(name)) return name;
  throw invalid(path, `${path} must have 1 to 256 characters and no control characters`);
}

function invalid(param: string, message: string): OpenAiError {
  return new OpenAiError('INVALID_PARAMETER', message, param);
}
