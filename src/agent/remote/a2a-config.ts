import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { isPlainObject, parsedJson } from '../../common/index.js';
import type { JsonEntry } from '../../config/index.js';
import { addressChoiceIn, hostProblem, readAddress } from './remote-address.js';

const BINDINGS = ['auto', 'JSONRPC', 'HTTP+JSON'] as const;
const VERSIONS = ['auto', '1.0', '0.3'] as const;
/** The most extensions that are asked for, and the most characters of one. */
const MOST_EXTENSIONS = 16;
const LONGEST_EXTENSION = 256;

/** Public keys of signatures, or the address of a JSON Web Key Set. */
export type CardKeys = URL | readonly JsonWebKey[];

/** What only agents of A2A have (contract a2a, section 15.1). */
export interface A2aConfig {
  /** The form of the requests; undefined: that of the first interface of the card that is spoken. */
  readonly binding: 'JSONRPC' | 'HTTP+JSON' | undefined;
  /** The version; undefined: as `binding`. */
  readonly protocol: '1.0' | '0.3' | undefined;
  /** Origins besides that of `url` which the card may name. */
  readonly allowedOrigins: readonly string[];
  /** The keys of which one must have signed the card; undefined: it need not be signed. */
  readonly verify: CardKeys | undefined;
  /** The URIs of the extensions that each request asks for. */
  readonly extensions: readonly string[];
  /** Whether the words of a task in progress are shown as activities. */
  readonly progress: boolean;
}

/** Reads the keys of an entry, whose problems the entry holds. */
export function a2aConfigIn(entry: JsonEntry): A2aConfig {
  const [binding, protocol] = [entry.word('binding', BINDINGS), entry.word('protocol', VERSIONS)];
  return {
    binding: binding === 'auto' ? undefined : binding,
    protocol: protocol === 'auto' ? undefined : protocol,
    allowedOrigins: originsIn(entry),
    verify: cardKeysIn(entry),
    extensions: extensionsIn(entry),
    progress: entry.choice('progress') ?? true,
  };
}

/** Origins: of https, or of http to this machine or with `insecure`. */
function originsIn(entry: JsonEntry): readonly string[] {
  const choice = addressChoiceIn(entry);
  return (entry.texts('allowedOrigins') ?? []).map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isOrigin = url !== undefined && url.origin === text.replace(/\/$/, '') && /^https?:$/.test(url.protocol);
    const problem = url && hostProblem(url, choice);
    if (!isOrigin) entry.problem('"allowedOrigins" must have origins such as "https://agents.example"');
    else if (problem !== undefined) entry.problem(`each of "allowedOrigins" must be ${problem}`);
    return url?.origin ?? '';
  });
}

function extensionsIn(entry: JsonEntry): readonly string[] {
  const names = entry.texts('extensions') ?? [];
  if (names.length > MOST_EXTENSIONS) entry.problem(`"extensions" must have at most ${MOST_EXTENSIONS} URIs`);
  // They are sent as a list in one header.
  const areUris = names.every((name) => name.length <= LONGEST_EXTENSION && /^[a-z][\x21-\x2b\x2d-\x7e]+$/i.test(name));
  if (!areUris) entry.problem('"extensions" must have URIs, without spaces and commas');
  return [...new Set(names)];
}

/** An address of keys, or one or more public keys: in PEM, as a JSON Web Key or as a set of such keys. */
function cardKeysIn(entry: JsonEntry): CardKeys | undefined {
  const given = entry.expandedOrObject('verify');
  if (typeof given === 'string' && /^https?:/i.test(given)) return readAddress(entry, 'verify', given);
  if (given === undefined) return undefined;
  const keys = publicKeysIn(given);
  if (keys) return keys;
  entry.problem('"verify" must be the address of a JSON Web Key Set, or public keys in PEM or as JSON Web Keys');
  return undefined;
}

function publicKeysIn(given: unknown): readonly JsonWebKey[] | undefined {
  try {
    const value = typeof given === 'string' && !given.includes('-----BEGIN') ? parsedJson(given) : given;
    if (typeof value === 'string') return [createPublicKey(value).export({ format: 'jwk' })];
    if (!isPlainObject(value)) return undefined;
    const keys: unknown[] = Array.isArray(value['keys']) ? value['keys'] : [value];
    return keys.length > 0 && keys.every(isPublicKey) ? keys : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error for what is no key */
function isPublicKey(key: unknown): key is JsonWebKey {
  // A private key has the member `d`.
  return isPlainObject(key) && !('d' in key) && createPublicKey({ key, format: 'jwk' }).type === 'public';
}
