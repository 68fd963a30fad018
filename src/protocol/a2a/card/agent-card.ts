import type { RegisteredAgent } from '../../../agent/index.js';
import { isPlainObject, type Json, type JsonObject, VERSION, withoutEmpty } from '../../../common/index.js';
import { EXTENSIONS, type Version } from '../a2a.types.js';

/** How callers prove who they are, as a card shows it. */
export interface CardAccess {
  readonly hasKeys: boolean;
  /** The addresses of OpenID providers. */
  readonly issuers: readonly string[];
}

/** What a card is made of. */
export interface CardParts {
  readonly agent: Pick<RegisteredAgent, 'name' | 'description' | 'skills' | 'inputModes'>;
  /** The address of the agent, absolute, without a closing slash. */
  readonly url: string;
  readonly versions: readonly Version[];
  /** Undefined without authentication. */
  readonly access: CardAccess | undefined;
  readonly hasPush: boolean;
  /** Laid over the card. */
  readonly overlay: JsonObject;
}

/** The media types of images that uploads take. */
const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/heic', 'image/avif'];
const SCOPES = ['runs:read', 'runs:write'];
const ABOUT: Readonly<Record<keyof typeof EXTENSIONS, string>> = {
  questions: 'Questions and their answers as data parts',
  clientTools: 'Tools that the client declares and runs',
  idempotentSend: 'An equal message with the same id in the same context is sent once',
  progress: 'Tool calls, reasoning and usage as status updates',
};

/** The card of A2A 1.0: nothing empty and nothing false, because the canonical form of clients drops it (contract a2a, section 2). */
export function agentCard({ agent, url, versions, access, hasPush, overlay }: CardParts): JsonObject {
  const interfaces = [
    ...(versions.includes('1.0')
      ? [
          { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
          { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        ]
      : []),
    ...(versions.includes('0.3') ? [{ url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' }] : []),
  ];
  const schemes = access ? schemesOf(access) : [];
  const names = Object.keys(EXTENSIONS) as (keyof typeof EXTENSIONS)[];
  const card: JsonObject = {
    name: agent.name,
    description: agent.description === '' ? agent.name : agent.description,
    version: VERSION,
    supportedInterfaces: versions.includes('1.0') ? interfaces : [],
    capabilities: {
      streaming: true,
      pushNotifications: hasPush,
      extendedAgentCard: access !== undefined,
      extensions: names.map((name) => ({ uri: EXTENSIONS[name], description: ABOUT[name] })),
    },
    securitySchemes: Object.fromEntries(schemes),
    securityRequirements: schemes.map(([name]) => ({ schemes: { [name]: { list: SCOPES } } })),
    defaultInputModes: [...new Set(['text/plain', 'application/json', ...IMAGES, ...agent.inputModes])],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: agent.skills.map(({ id, name, description, tags, examples = [] }) => {
      return { id, name, description, tags: [...tags], examples: [...examples] };
    }),
    ...overlay,
  };
  return (withoutEmpty(card) ?? {}) as JsonObject;
}

/**
 * The card for clients that name no version: that of 1.0 with the fields of 0.3, from which both generations work.
 *
 * @param card may be signed: 1.x clients drop what is added before they verify
 */
export function hybridCard(card: JsonObject, url: string): JsonObject {
  const schemes = (card['securitySchemes'] ?? {}) as JsonObject;
  const names = Object.keys(schemes);
  const capabilities = card['capabilities'];
  const hasExtended = isPlainObject(capabilities) && capabilities['extendedAgentCard'] === true;
  return {
    ...card,
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    ...(hasExtended && { supportsAuthenticatedExtendedCard: true }),
    ...(names.length > 0 && {
      securitySchemes: Object.fromEntries(names.map((name) => [name, bothForms(schemes[name])])),
      security: names.map((name) => ({ [name]: [] })),
    }),
  };
}

function schemesOf({ hasKeys, issuers }: CardAccess): [string, JsonObject][] {
  const keys: [string, JsonObject][] = [
    ['bearer', { httpAuthSecurityScheme: { scheme: 'Bearer' } }],
    ['apiKey', { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } }],
  ];
  const openId = issuers.map((issuer, index): [string, JsonObject] => {
    const openIdConnectUrl = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    return [index === 0 ? 'openId' : `openId${index + 1}`, { openIdConnectSecurityScheme: { openIdConnectUrl } }];
  });
  return [...(hasKeys ? keys : []), ...openId];
}

/** A scheme of 1.0 that also has the members of 0.3, with equal values: either form reads the same. */
function bothForms(scheme: Json | undefined): Json {
  if (!isPlainObject(scheme)) return scheme ?? null;
  const { httpAuthSecurityScheme: http, apiKeySecurityScheme: key, openIdConnectSecurityScheme: openId } = scheme;
  if (isPlainObject(http)) return { type: 'http', ...http, ...scheme };
  if (isPlainObject(key)) {
    const { location, ...rest } = key;
    return { type: 'apiKey', in: location ?? 'header', ...rest, ...scheme };
  }
  if (isPlainObject(openId)) return { type: 'openIdConnect', ...openId, ...scheme };
  return scheme;
}
