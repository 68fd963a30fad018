import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { keyRing, type ServerKey, ServerSettings } from '../../config/index.js';
import { requestPrincipal } from '../http/index.js';
import { ResponsesSettings } from './responses.settings.js';

/** Says who made it, and how. */
const MARK = 'plc2';
/** Where a machine keeps the key that it made for itself. */
const KEY_FILE = 'responses-sealing-key';
const ALGORITHM = 'aes-256-gcm';
const IV_LENGTH = 12;
const TAG_LENGTH = 16;
/** What was sealed is never longer, so that no short content can unfold into a flood. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Seals what a client keeps for the server (`encrypted_content`): it can neither be read nor be changed
 * outside, and is opened only for the tenant that it was sealed for. The first key of the ring seals, all
 * of them open.
 */
@Injectable()
export class ContentSeal {
  private ring: readonly { readonly kid: string; readonly key: Buffer }[] | undefined;

  constructor(
    private readonly settings: ResponsesSettings,
    private readonly server: ServerSettings,
  ) {}

  seal(text: string): string {
    const [first] = this.keys();
    if (!first) throw new Error('There is no key to seal with');
    const iv = randomBytes(IV_LENGTH);
    const cipher = createCipheriv(ALGORITHM, first.key, iv).setAAD(contextOf(first.kid));
    const sealed = Buffer.concat([cipher.update(deflateRawSync(Buffer.from(text, 'utf8'))), cipher.final()]);
    return [MARK, first.kid, Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')].join(':');
  }

  /** What was sealed; undefined for anything that this server has not sealed, or not so. */
  open(content: string): string | undefined {
    const [mark, kid, body, ...more] = content.split(':');
    const key = this.keys().find((one) => one.kid === kid)?.key;
    if (mark !== MARK || !key || kid === undefined || body === undefined || more.length > 0) return undefined;
    const bytes = Buffer.from(body, 'base64url');
    // Other spellings of the same bytes were not made here.
    if (bytes.length <= IV_LENGTH + TAG_LENGTH || bytes.toString('base64url') !== body) return undefined;
    try {
      const options = { authTagLength: TAG_LENGTH };
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_LENGTH), options)
        .setAAD(contextOf(kid))
        .setAuthTag(bytes.subarray(IV_LENGTH, IV_LENGTH + TAG_LENGTH));
      const opened = Buffer.concat([decipher.update(bytes.subarray(IV_LENGTH + TAG_LENGTH)), decipher.final()]);
      return inflateRawSync(opened, { maxOutputLength: MAX_BYTES }).toString('utf8');
    } catch {
      return undefined;
    }
  }

  private keys(): readonly { readonly kid: string; readonly key: Buffer }[] {
    this.ring ??= keyRing(this.settings.sealingKeys, this.server.dataDir, KEY_FILE).map(derived);
    return this.ring;
  }
}

/** Secrets of any length become keys; the same secret is another key for another purpose. */
function derived({ kid, secret }: ServerKey): { kid: string; key: Buffer } {
  return { kid, key: Buffer.from(hkdfSync('sha256', secret, '', 'parley responses encrypted_content', 32)) };
}

/** Is checked with the content: it is worth nothing elsewhere. */
function contextOf(kid: string): Buffer {
  return Buffer.from([MARK, kid, requestPrincipal(undefined).tenantId].join('\n'), 'utf8');
}
