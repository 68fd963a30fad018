import { isPlainObject } from '../../../common/index.js';
import type { HeaderReader } from '../../http/index.js';
import { McpError } from '../mcp.errors.js';
import { META, MODERN_VERSIONS, VERSIONS } from '../mcp.types.js';

/** What `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** What a modern request says of itself. */
export interface ModernEnvelope {
  readonly version: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Whether the parameters of a message name a revision themselves, as those of the modern era do. */
export function claimsVersion(params: unknown): boolean {
  const meta = isPlainObject(params) ? params['_meta'] : undefined;
  return isPlainObject(meta) && Object.hasOwn(meta, META.version);
}

/** Checks what a modern request says of itself, and that its headers agree (contract mcp-server, section 4). @throws McpError with the status 400 */
export function modernEnvelope(method: string, params: unknown, header: HeaderReader): ModernEnvelope {
  const meta = isPlainObject(params) ? params['_meta'] : undefined;
  const version = isPlainObject(meta) ? meta[META.version] : undefined;
  const capabilities = isPlainObject(meta) ? meta[META.capabilities] : undefined;
  const lacking = [
    ...(typeof version === 'string' ? [] : [META.version]),
    ...(isPlainObject(capabilities) ? [] : [META.capabilities]),
  ];
  if (typeof version !== 'string' || !isPlainObject(capabilities)) {
    throw new McpError('INVALID_PARAMS', `params._meta must have ${lacking.join(' and ')}`, { status: 400 });
  }
  const named = header('mcp-protocol-version')?.trim();
  if (named !== version) throw mismatch('MCP-Protocol-Version', named, version);
  if (!(MODERN_VERSIONS as readonly string[]).includes(version)) {
    const data = { supported: [...VERSIONS], requested: version.slice(0, 100) };
    throw new McpError('UNSUPPORTED_VERSION', 'This revision of the protocol is not served', { status: 400, data });
  }
  const said = header('mcp-method')?.trim();
  if (said !== method) throw mismatch('Mcp-Method', said, method);
  checkName(method, params, header('mcp-name')?.trim());
  return { version, capabilities };
}

function checkName(method: string, params: unknown, said: string | undefined): void {
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const value = field !== undefined && isPlainObject(params) ? params[field] : undefined;
  if (typeof value !== 'string') return;
  if (said === undefined || decoded(said) !== value) throw mismatch('Mcp-Name', said, value);
}

/** The value of a header, which may be base64 of UTF-8. */
function decoded(value: string): string | undefined {
  const [, base64] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value) ?? [];
  return base64 === undefined ? value : Buffer.from(base64, 'base64').toString('utf8');
}

function mismatch(name: string, said: string | undefined, value: string): McpError {
  const rule = said === undefined ? 'is required' : `is ${JSON.stringify(said.slice(0, 100))}`;
  const message = `The header ${name} ${rule}; the body has ${JSON.stringify(value.slice(0, 100))}`;
  return new McpError('HEADER_MISMATCH', message, { status: 400 });
}
