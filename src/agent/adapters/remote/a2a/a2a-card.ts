import { AppError } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { type Fields, objectAt, objectsAt, textAt } from '../json-fields.js';

/** The versions of A2A that are spoken. */
export type A2aVersion = '1.0' | '0.3';

/** Where an agent is, and how it is spoken to. */
export interface A2aInterface {
  readonly url: URL;
  readonly version: A2aVersion;
  readonly hasStreaming: boolean;
  /** True if it takes a message with a known id once. */
  readonly isIdempotent: boolean;
}

/** The extension of servers that take a message once. */
const IDEMPOTENT_SEND = 'urn:parley:a2a:idempotent-send:v1';

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
 * The JSON-RPC interface of a card, of version 1.0 before 0.3.
 *
 * @throws AppError CONFIGURATION_ERROR for an interface at another origin than the configured one, or if there is none
 */
export function interfaceOf(card: Fields, { name, url }: Pick<RemoteAgentConfig, 'name' | 'url'>): A2aInterface {
  const found = [...interfacesIn(card)].sort((one, other) => Number(other.version) - Number(one.version))[0];
  if (!found)
    throw new AppError('CONFIGURATION_ERROR', `The card of the remote agent "${name}" has no JSON-RPC interface`);
  if (!URL.canParse(found.url) || new URL(found.url).origin !== url.origin) {
    throw new AppError(
      'CONFIGURATION_ERROR',
      `The card of the remote agent "${name}" names another origin than its url`,
    );
  }
  const capabilities = objectAt(card, 'capabilities');
  const isIdempotent = objectsAt(capabilities, 'extensions').some((one) => textAt(one, 'uri') === IDEMPOTENT_SEND);
  return {
    url: new URL(found.url),
    version: found.version,
    hasStreaming: capabilities['streaming'] === true,
    isIdempotent,
  };
}

function* interfacesIn(card: Fields): Generator<{ readonly url: string; readonly version: A2aVersion }> {
  const named = [...objectsAt(card, 'supportedInterfaces'), ...objectsAt(card, 'additionalInterfaces')];
  for (const one of named) {
    const binding = textAt(one, 'protocolBinding') ?? textAt(one, 'transport');
    const url = textAt(one, 'url');
    if (binding !== 'JSONRPC' || url === undefined) continue;
    yield { url, version: textAt(one, 'protocolVersion')?.startsWith('1') ? '1.0' : '0.3' };
  }
  const url = textAt(card, 'url');
  const preferred = textAt(card, 'preferredTransport') ?? 'JSONRPC';
  if (url !== undefined && preferred === 'JSONRPC') {
    yield { url, version: textAt(card, 'protocolVersion')?.startsWith('1') ? '1.0' : '0.3' };
  }
}
