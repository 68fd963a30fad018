import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import type { Reach } from '../../common/index.js';
import { Fingerprints, keyFingerprints, keyRing, type ServerKey, ServerSettings } from '../../config/index.js';
import { ResponsesSettings } from './responses.settings.js';

/** The format of content that every user of its tenant may return: without authentication a user is only a claim. */
const TENANT_FORMAT = 'plc2';
/** The format of content that only its user may return. */
const USER_FORMAT = 'plc3';
/** The file in the data directory with the key that a server generates for itself. */
const KEY_FILE = 'responses-sealing-key';
/** Authenticated: a changed text is rejected instead of decrypted to something else. */
const ALGORITHM = 'aes-256-gcm';
/** Bytes; 96 bits are what GCM is specified for. */
const IV_LENGTH = 12;
/** Bytes of the authentication tag. */
const TAG_LENGTH = 16;
/** Inflated content is never longer, so that a short one cannot exhaust the memory. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A key and its name. */
interface CipherKey {
  /** Identifies the key in an encrypted text, so that old texts remain readable after a key is replaced. */
  readonly kid: string;
  readonly key: Buffer;
}

/**
 * Encrypts content that clients store for the server (`encrypted_content`; contract responses, section A8). Clients
 * can neither read nor change it, and it is decrypted only for the reach that it was encrypted for: a user or, without
 * authentication, a tenant. The first key of the ring encrypts, all of them decrypt.
 */
@Injectable()
export class ContentCipher {
  private ring: readonly CipherKey[] | undefined;

  constructor(
    private readonly settings: ResponsesSettings,
    private readonly server: ServerSettings,
    fingerprints: Fingerprints,
  ) {
    const name = 'RESPONSES_SEALING_KEYS';
    fingerprints.add(name, () => keyFingerprints(name, this.secrets()));
  }

  encrypt(text: string, owner: Reach): string {
    const [first] = this.keys();
    if (!first) throw new Error('There is no key to encrypt with');
    const iv = randomBytes(IV_LENGTH);
    const cipher = createCipheriv(ALGORITHM, first.key, iv).setAAD(contextOf(first.kid, owner));
    const encrypted = Buffer.concat([cipher.update(deflateRawSync(Buffer.from(text, 'utf8'))), cipher.final()]);
    return [formatOf(owner), first.kid, Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')].join(
      ':',
    );
  }

  /** The text; undefined for content that was not encrypted by this server for this owner, or was changed. */
  decrypt(content: string, owner: Reach): string | undefined {
    const [format, kid, body, ...more] = content.split(':');
    const key = this.keys().find((one) => one.kid === kid)?.key;
    if (format !== formatOf(owner) || !key || kid === undefined || body === undefined || more.length > 0)
      return undefined;
    const bytes = Buffer.from(body, 'base64url');
    // Other base64 texts of the same bytes were not made here.
    if (bytes.length <= IV_LENGTH + TAG_LENGTH || bytes.toString('base64url') !== body) return undefined;
    try {
      const options = { authTagLength: TAG_LENGTH };
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_LENGTH), options)
        .setAAD(contextOf(kid, owner))
        .setAuthTag(bytes.subarray(IV_LENGTH, IV_LENGTH + TAG_LENGTH));
      const decrypted = Buffer.concat([decipher.update(bytes.subarray(IV_LENGTH + TAG_LENGTH)), decipher.final()]);
      return inflateRawSync(decrypted, { maxOutputLength: MAX_BYTES }).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** Read when it is first needed: reading may create the key file. */
  private keys(): readonly CipherKey[] {
    this.ring ??= this.secrets().map(derivedKey);
    return this.ring;
  }

  private secrets(): readonly ServerKey[] {
    return keyRing(this.settings.sealingKeys, this.server.dataDir, KEY_FILE);
  }
}

/** Secrets may have any length; for another purpose the same secret gives another key. */
function derivedKey({ kid, secret }: ServerKey): CipherKey {
  return { kid, key: Buffer.from(hkdfSync('sha256', secret, '', 'parley responses encrypted_content', 32)) };
}

function formatOf({ of }: Reach): string {
  return of === 'user' ? USER_FORMAT : TENANT_FORMAT;
}

/** Authenticated with the content, so that it is valid for this format, key and owner only. */
function contextOf(kid: string, owner: Reach): Buffer {
  const parts = [formatOf(owner), kid, owner.tenantId];
  // The ids of a tenant and a user cannot be confused with others, whatever characters they have.
  return Buffer.from(owner.of === 'user' ? JSON.stringify([...parts, owner.userId]) : parts.join('\n'), 'utf8');
}
