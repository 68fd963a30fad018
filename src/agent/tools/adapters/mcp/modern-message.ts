import packageJson from '../../../../../package.json';
import { isPlainObject } from '../../../../common/index.js';

/** The revision in which requests describe themselves. */
export const MODERN_VERSION = '2026-07-28';

const PREFIX = 'io.modelcontextprotocol/';
/** What `Mcp-Name` repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = { 'tools/call': 'name', 'resources/read': 'uri' };

type Params = Readonly<Record<string, unknown>>;

/** The parameters of a request with what it says of itself. This client has no capabilities. */
export function describedParams(params: Params): Params {
  const meta = isPlainObject(params['_meta']) ? params['_meta'] : {};
  const own = {
    [`${PREFIX}protocolVersion`]: MODERN_VERSION,
    [`${PREFIX}clientInfo`]: { name: packageJson.name, version: packageJson.version },
    [`${PREFIX}clientCapabilities`]: {},
  };
  return { ...params, _meta: { ...meta, ...own } };
}

/** The headers that repeat what a request says. @param mirrored further headers of a tool's arguments */
export function describedHeaders(
  method: string,
  params: Params,
  mirrored: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const field = Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
  const name = field === undefined ? undefined : params[field];
  return {
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': headerText(name) }),
    ...Object.fromEntries(Object.entries(mirrored).map(([key, value]) => [`mcp-param-${key}`, headerText(value)])),
  };
}

/** A text as the value of a header: what headers cannot carry, as base64 of UTF-8. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?');
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

/** Whether the answer to `server/discover` is that of a server of this revision. */
export function isDiscovery(result: unknown): boolean {
  const versions = isPlainObject(result) ? result['supportedVersions'] : undefined;
  return Array.isArray(versions) && versions.includes(MODERN_VERSION);
}

/** The arguments that a server wants in headers, too: by the name of the header, the name of the argument. */
export type Mirrored = Readonly<Record<string, string>>;

/** What a tool's schema says about headers; undefined if nothing. */
export function mirroredOf(tool: unknown): Mirrored | undefined {
  const schema = isPlainObject(tool) ? tool['inputSchema'] : undefined;
  const properties = isPlainObject(schema) ? schema['properties'] : undefined;
  if (!isPlainObject(properties)) return undefined;
  const found = Object.entries(properties).flatMap(([name, property]) => {
    const header = isPlainObject(property) ? property['x-mcp-header'] : undefined;
    return typeof header === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(header)
      ? [[header.toLowerCase(), name] as const]
      : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** The values of mirrored arguments. @param args JSON text */
export function mirroredValues(mirrored: Mirrored, args: string): Readonly<Record<string, string>> {
  const parsed: unknown = JSON.parse(args);
  if (!isPlainObject(parsed)) return {};
  return Object.fromEntries(
    Object.entries(mirrored).flatMap(([header, name]) => {
      const value = Object.hasOwn(parsed, name) ? parsed[name] : undefined;
      return ['string', 'number', 'boolean'].includes(typeof value) ? [[header, String(value)]] : [];
    }),
  );
}
