import { sign } from 'node:crypto';
import type { JsonObject } from '../../../common/index.js';
import { canonicalJson } from './canonical-json.js';
import type { CardKey } from './card-keys.js';

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
