import type { JsonWebKey } from 'node:crypto';
import { decodeProtectedHeader, flattenedVerify, type JWK } from 'jose';
import { canonicalJson, type Json, withoutEmpty } from '../../../../common/index.js';
import { asObject, type Fields, objectAt, objectsAt, textAt } from '../json-fields.js';

/** Signatures of public keys. */
const ALGORITHMS = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
];
/** The most signatures of a card, and the most keys for one of them, that are tried. */
const MOST_SIGNATURES = 8;
const MOST_KEYS = 8;
/** The fields of a card in version 1.0. */
const FIELDS: ReadonlySet<string> = new Set([
  ...[
    'name',
    'description',
    'supportedInterfaces',
    'provider',
    'version',
    'documentationUrl',
    'iconUrl',
    'capabilities',
  ],
  ...['securitySchemes', 'securityRequirements', 'defaultInputModes', 'defaultOutputModes', 'skills'],
]);

/**
 * What a signature of a card covers: a detached JWS over the canonical form of the card (contract a2a, section 2).
 *
 * @returns the card without anything that is not signed; undefined if none of the keys has signed it
 */
export async function signedCard(card: Fields, keys: readonly JsonWebKey[]): Promise<Fields | undefined> {
  const signatures = objectsAt(card, 'signatures').slice(0, MOST_SIGNATURES);
  for (const form of signatures.length === 0 || keys.length === 0 ? [] : formsOf(card)) {
    const payload = Buffer.from(canonicalJson(form)).toString('base64url');
    for (const signature of signatures) if (await holds(signature, payload, keys)) return form as Fields;
  }
  return undefined;
}

/** What may have been signed: servers differ in what they leave out, and add fields of version 0.3 afterwards. */
function formsOf(card: Fields): Json[] {
  const { signatures: _, ...whole } = asObject(card);
  const schemes = Object.entries(asObject(objectAt(whole, 'securitySchemes'))).map(([name, scheme]) => [
    name,
    membersOf(scheme, (key) => key.endsWith('SecurityScheme')),
  ]);
  const pure = membersOf(whole, (key) => FIELDS.has(key));
  const later = { ...pure, ...('securitySchemes' in pure && { securitySchemes: Object.fromEntries(schemes) as Json }) };
  return [whole, later].flatMap((one) => [one, withoutEmpty(one, false) ?? {}, withoutEmpty(one) ?? {}]);
}

function membersOf(value: Json | undefined, isKept: (name: string) => boolean): Record<string, Json> {
  const members = Object.entries((value ?? {}) as Record<string, Json>);
  return Object.fromEntries(members.filter(([name]) => isKept(name)));
}

async function holds(signature: Fields, payload: string, keys: readonly JsonWebKey[]): Promise<boolean> {
  const jws = {
    protected: textAt(signature, 'protected') ?? '',
    signature: textAt(signature, 'signature') ?? '',
    payload,
  };
  const kid = kidOf(jws);
  const named = keys.filter((key) => kid === undefined || key['kid'] === undefined || key['kid'] === kid);
  for (const key of named.slice(0, MOST_KEYS)) {
    try {
      await flattenedVerify(jws, key as JWK, { algorithms: ALGORITHMS });
      return true;
    } catch {
      // Another key, or the wrong one.
    }
  }
  return false;
}

/** The key that a signature names; undefined if it names none. */
function kidOf(jws: { readonly protected: string }): string | undefined {
  try {
    return decodeProtectedHeader(jws).kid;
  } catch {
    return undefined;
  }
}
