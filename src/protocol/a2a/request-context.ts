import { headerReader, type StreamClient } from '../http/index.js';
import { A2aError } from './a2a.errors.js';
import type { A2aSettings } from './a2a.settings.js';
import { EXTENSIONS, type Version, VERSIONS } from './a2a.types.js';

/** The longest `Idempotency-Key`: printable characters. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/** What the headers of a request specify (contract a2a, section 1.2). */
export interface RequestContext {
  /** The version that the request names, without its patch; undefined if it names none. */
  readonly named: string | undefined;
  /** The known extensions that it activates. */
  readonly extensions: ReadonlySet<string>;
  readonly idempotencyKey: string | undefined;
  readonly lastEventId: string | undefined;
  /** The agent of the address; undefined for the default one. */
  readonly agentType: string | undefined;
}

/** @throws A2aError INVALID_PARAMS for a key that cannot be one */
export function contextOf({ request }: StreamClient): RequestContext {
  const header = headerReader(request);
  const query = request.query as Readonly<Record<string, unknown>>;
  const inQuery = query['A2A-Version'] ?? query['a2a-version'];
  const version = header('a2a-version') ?? (typeof inQuery === 'string' ? inQuery : undefined);
  const uris = [header('a2a-extensions'), header('x-a2a-extensions')].join(',').split(',');
  const known: readonly string[] = Object.values(EXTENSIONS);
  const idempotencyKey = header('idempotency-key');
  if (idempotencyKey !== undefined && !KEY.test(idempotencyKey)) {
    throw new A2aError('INVALID_PARAMS', 'Idempotency-Key must be 1 to 255 printable characters');
  }
  const { agent } = request.params as { readonly agent?: string };
  return {
    named: version === undefined || version.trim() === '' ? undefined : plainVersion(version.trim()),
    extensions: new Set(uris.map((uri) => uri.trim()).filter((uri) => known.includes(uri))),
    idempotencyKey,
    lastEventId: header('last-event-id'),
    agentType: agent,
  };
}

/** The version that a request of the JSON-RPC binding is of (contract a2a, section 3.1). */
export function rpcVersion(named: string | undefined, method: string, settings: A2aSettings): Version {
  const byName: Version = method.includes('/') ? '0.3' : '1.0';
  const version = named === undefined ? byName : servedVersion(named, settings);
  if (!settings.serves(version)) throw notServed(version, settings);
  return version;
}

/** The version of the REST binding: there is only one. */
export function restVersion(named: string | undefined, settings: A2aSettings): Version {
  const version = named ?? '1.0';
  if (version !== '1.0' || !settings.serves('1.0')) throw notServed(version, settings);
  return '1.0';
}

/** Sets the headers of an answer: the version of its shape, and the extensions that are active. */
export function announce({ reply }: StreamClient, version: Version, extensions: ReadonlySet<string>): void {
  reply.header('a2a-version', version);
  if (extensions.size > 0) reply.header('a2a-extensions', [...extensions].join(', '));
}

function servedVersion(named: string, settings: A2aSettings): Version {
  const version = VERSIONS.find((one) => one === named);
  if (version && settings.serves(version)) return version;
  throw notServed(named, settings);
}

function notServed(version: string, { versions }: A2aSettings): A2aError {
  const supported = versions.join(', ');
  return new A2aError(
    'VERSION_NOT_SUPPORTED',
    `Version ${JSON.stringify(version.slice(0, 20))} is not served: choose of ${supported}`,
    {
      supported,
    },
  );
}

function plainVersion(version: string): string {
  return /^(\d+\.\d+)\.\d+$/.exec(version)?.[1] ?? version;
}
