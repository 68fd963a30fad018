import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { keyRing, type ServerKey, ServerSettings } from '../../config/index.js';
import { ResponsesSettings } from './responses.settings.js';

/** The format of the content. */
const FORMAT = 'plc2';
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
 * can neither read nor change it, and it is decrypted only for the tenant that it was encrypted for. The
 * first key of the ring encrypts, all of them decrypt.
 */
@Injectable()
export class ContentCipher {
  private ring: readonly CipherKey[] | undefined;

  constructor(
    private readonly settings: ResponsesSettings,
    private readonly server: ServerSettings,
  ) {}

  /** Encrypts text for a tenant. */
  encrypt(text: string, tenantId: string): string {
    const [first] = this.keys();
    if (!first) throw new Error('There is no key to encrypt with');
    const iv = randomBytes(IV_LENGTH);
    const cipher = createCipheriv(ALGORITHM, first.key, iv).setAAD(contextOf(first.kid, tenantId));
    const encrypted = Buffer.concat([cipher.update(deflateRawSync(Buffer.from(text, 'utf8'))), cipher.final()]);
    return [FORMAT, first.kid, Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')].join(':');
  }

  /** The text; undefined for content that was not encrypted by this server for this tenant, or was changed. */
  decrypt(content: string, tenantId: string): string | undefined {
    const [format, kid, body, ...more] = content.split(':');
    const key = this.keys().find((one) => one.kid === kid)?.key;
    if (format !== FORMAT || !key || kid === undefined || body === undefined || more.length > 0) return undefined;
    const bytes = Buffer.from(body, 'base64url');
    // Other base64 texts of the same bytes were not made here.
    if (bytes.length <= IV_LENGTH + TAG_LENGTH || bytes.toString('base64url') !== body) return undefined;
    try {
      const options = { authTagLength: TAG_LENGTH };
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_LENGTH), options)
        .setAAD(contextOf(kid, tenantId))
        .setAuthTag(bytes.subarray(IV_LENGTH, IV_LENGTH + TAG_LENGTH));
      const decrypted = Buffer.concat([decipher.update(bytes.subarray(IV_LENGTH + TAG_LENGTH)), decipher.final()]);
      return inflateRawSync(decrypted, { maxOutputLength: MAX_BYTES }).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** Read when it is first needed: reading may create the key file. */
  private keys(): readonly CipherKey[] {
    this.ring ??= keyRing(this.settings.sealingKeys, this.server.dataDir, KEY_FILE).map(derivedKey);
    return this.ring;
  }
}

/** Secrets may have any length; for another purpose the same secret gives another key. */
function derivedKey({ kid, secret }: ServerKey): CipherKey {
  return { kid, key: Buffer.from(hkdfSync('sha256', secret, '', 'parley responses encrypted_content', 32)) };
}

/** Authenticated with the content, so that it is valid for this format, key and tenant only. */
function contextOf(kid: string, tenantId: string): Buffer {
  return Buffer.from([FORMAT, kid, tenantId].join('\n'), 'utf8');
}
