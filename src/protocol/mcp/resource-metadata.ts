import type { JsonObject } from '../../common/index.js';

/** Where the metadata of the server as an OAuth resource is (RFC 9728). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';
/** The scopes that clients of the wire may need. */
const SCOPES = ['runs:read', 'runs:write', 'approvals:decide'];

/** The metadata of the server as an OAuth resource. @param issuers the addresses of the providers whose tokens it takes */
export function resourceMetadata(
  bases: readonly string[],
  host: string | undefined,
  issuers: readonly string[],
): JsonObject {
  return {
    resource: `${baseFor(bases, host)}/mcp`,
    authorization_servers: [...issuers],
    scopes_supported: [...SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Parley',
  };
}

/** A challenge that also tells where the metadata is, and which scope to ask for. */
export function challengeFor(challenge: string, bases: readonly string[], host: string | undefined): string {
  const scope = /\bscope=/.test(challenge) ? '' : ', scope="runs:write"';
  return `${challenge}, resource_metadata="${baseFor(bases, host)}${METADATA_PATH}"${scope}`;
}

/** The address whose host the request names, else the first. */
function baseFor(bases: readonly string[], host: string | undefined): string {
  const [first = ''] = bases;
  return bases.find((base) => URL.canParse(base) && new URL(base).host === host?.toLowerCase()) ?? first;
}
