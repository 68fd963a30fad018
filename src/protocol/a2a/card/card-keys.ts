import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { canonicalJson, isPlainObject, type JsonObject } from '../../../common/index.js';
import type { Rule } from '../../../config/index.js';

/** A key that cards are signed with. */
export interface CardKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** As it is published. */
  readonly publicJwk: JsonObject;
}

/** One private JWK of the curve P-256, or a list of some, each with a `kid` of its own. */
export function cardKeys(): Rule<readonly CardKey[]> {
  return {
    expectation: 'a private JWK of the curve P-256 with a kid, or a JSON list of such keys with different kids',
    parse: (text) => {
      try {
        const value: unknown = JSON.parse(text);
        const keys = (Array.isArray(value) ? value : [value]).map(keyOf);
        const kids = new Set(keys.map((key) => key?.kid));
        if (keys.length === 0 || kids.size < keys.length) return undefined;
        return keys.every((key) => key !== undefined) ? keys : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function keyOf(jwk: unknown): CardKey | undefined {
  if (!isPlainObject(jwk) || jwk['kty'] !== 'EC' || jwk['crv'] !== 'P-256' || typeof jwk['d'] !== 'string')
    return undefined;
  const { kid } = jwk;
  if (typeof kid !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(kid)) return undefined;
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const { kty, crv, x, y } = createPublicKey(privateKey).export({ format: 'jwk' });
  return {
    kid,
    privateKey,
    publicJwk: { kty: kty ?? '', crv: crv ?? '', x: x ?? '', y: y ?? '', kid, alg: 'ES256', use: 'sig' },
  };
}

/**
 * The signature of a card: a detached JWS over its canonical form (contract a2a, section 2).
 *
 * @param card without signatures, and without anything empty
 * @param jwksUrl where the public key is
 */
export function cardSignature(card: JsonObject, { kid, privateKey }: CardKey, jwksUrl: string): JsonObject {
  const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JOSE', kid, jku: jwksUrl })).toString('base64url');
  const payload = Buffer.from(canonicalJson(card)).toString('base64url');
  const signature = sign('sha256', Buffer.from(`${header}.${payload}`), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { protected: header, signature: signature.toString('base64url') };
}
