import { AppError, type JsonObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { type Fields, objectAt, objectsAt, textAt } from '../json-fields.js';
import type { HeaderOf } from '../remote-kind.js';

/** The versions of A2A that are spoken. */
export type A2aVersion = '1.0' | '0.3';

/** The forms of its requests that are spoken: HTTP+JSON only in version 1.0. */
export type A2aBinding = 'JSONRPC' | 'HTTP+JSON';

/** Where an agent is, and how it is spoken to. */
export interface A2aInterface {
  readonly url: URL;
  readonly binding: A2aBinding;
  readonly version: A2aVersion;
  /** Which of several agents at the address; undefined: there is one. */
  readonly tenant: string | undefined;
  readonly hasStreaming: boolean;
  /** True if it takes a message with a known id once. */
  readonly isIdempotent: boolean;
  /** True if the version is tried because the server has refused the other one. */
  readonly isGuess?: true;
}

/** What of the configuration decides about the interface. */
export type A2aChoice = Pick<
  RemoteAgentConfig,
  'name' | 'url' | 'binding' | 'protocol' | 'allowedOrigins' | 'extensions'
>;

/** An interface as a card offers it. */
interface OfferedInterface {
  readonly url: string;
  readonly binding: string;
  readonly version: string;
  readonly tenant: string | undefined;
}

/** The extension of servers that take a message once. */
const IDEMPOTENT_SEND = 'urn:parley:a2a:idempotent-send:v1';
/** The most interfaces, alternatives and schemes of an alternative that an error names, and the longest list in characters. */
const MOST_NAMED = 8;
const LONGEST_LIST = 500;
/** How long a card counts that does not say it, and how long at least and at most, in milliseconds. */
const CARD_MS = 300_000;
const SHORTEST_CARD_MS = 60_000;
const LONGEST_CARD_MS = 3_600_000;

/** The addresses at which the card of an agent may be, the likeliest first. */
export function cardAddresses({ url }: Pick<RemoteAgentConfig, 'url'>): readonly URL[] {
  if (/\.json$/.test(url.pathname)) return [url];
  const base = url.href.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const paths = ['/.well-known/agent-card.json', '/.well-known/agent.json'];
  const own = paths.map((path) => new URL(base + path));
  return [
    ...own,
    ...paths.map((path) => new URL(path, url)).filter(({ href }) => own.every((one) => one.href !== href)),
  ];
}

/**
 * The first interface of a card that is spoken, and that the configuration does not exclude.
 *
 * @throws AppError CONFIGURATION_ERROR if there is none, if it is at an origin that the configuration does not name, or if the
 *   card requires an extension that is not asked for
 */
export function interfaceOf(card: Fields, choice: A2aChoice): A2aInterface {
  const { name, url, binding, protocol, allowedOrigins } = choice;
  const offered = [...interfacesIn(card)];
  const found = offered.find(
    (one) => isSpoken(one) && (binding ?? one.binding) === one.binding && (protocol ?? one.version) === one.version,
  );
  if (!found) {
    const names = offered.slice(0, MOST_NAMED).map((one) => `${one.binding.slice(0, 40)} ${one.version.slice(0, 40)}`);
    const wanted = binding || protocol ? [binding, protocol].filter(Boolean).join(' ') : 'JSONRPC or HTTP+JSON';
    throw new AppError(
      'CONFIGURATION_ERROR',
      `The card of the remote agent "${name}" offers ${names.join(', ') || 'no interface'}, not ${wanted}`,
    );
  }
  const origin = URL.canParse(found.url) ? new URL(found.url).origin : undefined;
  if (origin === undefined || !isPermitted(origin, { url, allowedOrigins })) {
    throw new AppError(
      'CONFIGURATION_ERROR',
      `The card of the remote agent "${name}" names another origin than its url`,
    );
  }
  const capabilities = objectAt(card, 'capabilities');
  const extensions = objectsAt(capabilities, 'extensions');
  const missing = extensions.find((one) => one['required'] === true && !isAskedFor(one, choice));
  if (missing) {
    throw new AppError(
      'CONFIGURATION_ERROR',
      `The card of the remote agent "${name}" requires the extension ${printable(missing)}, which "extensions" does not name`,
    );
  }
  return {
    url: new URL(found.url),
    binding: found.binding as A2aBinding,
    version: found.version as A2aVersion,
    tenant: found.tenant,
    hasStreaming: capabilities['streaming'] === true,
    isIdempotent: extensions.some((one) => textAt(one, 'uri') === IDEMPOTENT_SEND),
  };
}

function isAskedFor(extension: Fields, { extensions }: Pick<A2aChoice, 'extensions'>): boolean {
  return extensions.includes(textAt(extension, 'uri') ?? '');
}

/** The URI of an extension in a sentence. */
function printable(extension: Fields): string {
  return JSON.stringify((textAt(extension, 'uri') ?? '').slice(0, 200));
}

/**
 * How long a card counts by the headers that it came with, from a minute to an hour; five minutes if they do not say it
 * (contract a2a, section 15.1).
 *
 * @returns milliseconds
 */
export function cardMs(header: HeaderOf): number {
  const control = header('cache-control')?.toLowerCase() ?? '';
  const [, seconds] = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/.exec(control) ?? [];
  if (/no-store|no-cache/.test(control)) return SHORTEST_CARD_MS;
  const age = Number(header('age') ?? 0) || 0;
  const until = Date.parse(header('expires') ?? '') - Date.parse(header('date') ?? '');
  const ms = seconds === undefined ? until : (Number(seconds) - age) * 1000;
  return Number.isNaN(ms) ? CARD_MS : Math.min(Math.max(ms, SHORTEST_CARD_MS), LONGEST_CARD_MS);
}

/** An interface as an exchange keeps it. */
export function placeOf({ url, tenant, ...rest }: A2aInterface): JsonObject {
  return { ...rest, url: url.href, ...(tenant !== undefined && { tenant }) };
}

/** The interface of an exchange; undefined if it has kept none, or one whose origin is no longer permitted. */
export function interfaceAt(place: JsonObject | undefined, choice: A2aChoice): A2aInterface | undefined {
  if (!place) return undefined;
  const { url: address, tenant, ...rest } = place as Omit<A2aInterface, 'url'> & { readonly url: string };
  const url = new URL(address);
  return isPermitted(url.origin, choice) ? { ...rest, url, tenant } : undefined;
}

/** Whether requests, and credentials with them, may go to an origin. */
function isPermitted(origin: string, { url, allowedOrigins }: Pick<A2aChoice, 'url' | 'allowedOrigins'>): boolean {
  return origin === url.origin || allowedOrigins.includes(origin);
}

/**
 * The credentials that a card asks for, as the end of the sentence "Its card asks for …"; undefined if it asks for none.
 * Alternatives are separated by "or".
 */
export function credentialsIn(card: Fields): string | undefined {
  const schemes = objectAt(card, 'securitySchemes');
  const requirements = [...objectsAt(card, 'securityRequirements'), ...objectsAt(card, 'security')];
  const alternatives = requirements.map((one) => {
    const wanted = Object.keys('schemes' in one ? objectAt(one, 'schemes') : one);
    const named = wanted.slice(0, MOST_NAMED).map((name) => schemeText(name, objectAt(schemes, name)));
    return [...named, ...(wanted.length > MOST_NAMED ? ['more'] : [])].join(' and ');
  });
  const named = [...new Set(alternatives.filter((text) => text !== ''))].slice(0, MOST_NAMED).join(' or ');
  if (named.length > LONGEST_LIST) return `${named.slice(0, LONGEST_LIST)} …`;
  return named || undefined;
}

/** A scheme in words, of either version. */
function schemeText(name: string, scheme: Fields): string {
  const [kind = '', inner] = Object.entries(scheme).find(([key]) => key.endsWith('SecurityScheme')) ?? [];
  const fields = inner === undefined ? scheme : objectAt(scheme, kind);
  const type = textAt(scheme, 'type') ?? kind.replace(/SecurityScheme$/, '');
  switch (type) {
    case 'apiKey': {
      const place = textAt(fields, 'location') ?? textAt(fields, 'in') ?? 'header';
      return `an API key in the ${shown(place)} ${shown(textAt(fields, 'name') ?? name)}`;
    }
    case 'http':
    case 'httpAuth':
      return `${shown(textAt(fields, 'scheme') ?? 'Bearer')} credentials in the header authorization`;
    case 'oauth2':
      return 'a token of OAuth 2.0 in the header authorization';
    case 'openIdConnect':
      return 'a token of OpenID Connect in the header authorization';
    case 'mutualTLS':
    case 'mtls':
      return 'a client certificate, which is not supported';
    default:
      return `the scheme ${shown(name)}`;
  }
}

/** A word of a card in a sentence. */
function shown(word: string): string {
  return word
    .replace(/[^\w.-]+/g, ' ')
    .trim()
    .slice(0, 80);
}

function isSpoken({ binding, version }: OfferedInterface): boolean {
  return version === '1.0' ? ['JSONRPC', 'HTTP+JSON'].includes(binding) : version === '0.3' && binding === 'JSONRPC';
}

/** The interfaces in the order in which the agent prefers them. */
function* interfacesIn(card: Fields): Generator<OfferedInterface> {
  for (const one of objectsAt(card, 'supportedInterfaces')) yield* interfaceIn(one, '1.0');
  const url = textAt(card, 'url');
  const binding = textAt(card, 'preferredTransport') ?? 'JSONRPC';
  if (url !== undefined) yield { url, binding, version: versionOf(card, '0.3'), tenant: undefined };
  for (const one of objectsAt(card, 'additionalInterfaces')) yield* interfaceIn(one, '0.3');
}

/** @param usual the version of one that names none */
function* interfaceIn(fields: Fields, usual: A2aVersion): Generator<OfferedInterface> {
  const binding = textAt(fields, 'protocolBinding') ?? textAt(fields, 'transport');
  const url = textAt(fields, 'url');
  if (binding === undefined || url === undefined) return;
  yield { url, binding, version: versionOf(fields, usual), tenant: textAt(fields, 'tenant') || undefined };
}

/** The version that an interface names: of those before 0.3 the methods are the same. */
function versionOf(fields: Fields, usual: A2aVersion): string {
  const named = textAt(fields, 'protocolVersion') || usual;
  if (/^1(\.|$)/.test(named)) return '1.0';
  return /^0(\.|$)/.test(named) ? '0.3' : named;
}
