import { createHmac, timingSafeEqual } from 'node:crypto';

/** A key of the ring. */
export interface SigningKey {
  readonly kid: string;
  readonly secret: string;
}

/** What a signature covers. */
export interface SignedSubject {
  readonly tenantId: string;
  readonly path: string;
  /** Seconds since the epoch. */
  readonly exp: number;
}

/** The query of a signed URL. */
export interface Signature {
  readonly exp: number;
  readonly kid: string;
  readonly sig: string;
}

/**
 * Signs URLs with the first key of the ring and verifies them with all, so that a key can be replaced
 * while URLs signed with the old one are still valid (contract runs-api, section 7).
 */
export class UrlSigner {
  private readonly secrets: ReadonlyMap<string, string>;

  /** @param keys at least one */
  constructor(private readonly keys: readonly SigningKey[]) {
    this.secrets = new Map(keys.map(({ kid, secret }) => [kid, secret]));
  }

  sign(subject: SignedSubject): Signature {
    const [key] = this.keys;
    if (!key) throw new Error('No signing key is configured');
    return { exp: subject.exp, kid: key.kid, sig: mac(key.secret, subject).toString('base64url') };
  }

  /** True when the signature is valid. Does not check whether it has expired. */
  verify(subject: SignedSubject, { kid, sig }: Signature): boolean {
    const secret = this.secrets.get(kid);
    const given = Buffer.from(sig, 'base64url');
    // Takes the same time for an unknown key as for a known one.
    const expected = mac(secret ?? 'unknown', subject);
    const equal = given.length === expected.length && timingSafeEqual(given, expected);
    return equal && secret !== undefined && given.toString('base64url') === sig;
  }
}

function mac(secret: string, { tenantId, path, exp }: SignedSubject): Buffer {
  return createHmac('sha256', secret).update(`v1\n${tenantId}\n${path}\n${exp}`).digest();
}
