import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AttachmentSettings } from '../../agent/attachment/index.js';
import { isPlainObject, type JsonObject } from '../../common/index.js';
import { keyRing, ServerSettings } from '../../config/index.js';

/** The ring that signs addresses of attachments, from which the keys are derived. */
const KEY_FILE = 'attachment-signing-key';
const PURPOSE = 'parley mcp state v1';
const ALGORITHM = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/** What a sealed text is for: one of another kind does not open. */
export type SealKind = 'session' | 'request' | 'page';

/** A key for the text, and one for its nonce. */
interface SealKey {
  readonly kid: string;
  readonly text: Buffer;
  readonly nonce: Buffer;
}

/**
 * Seals what clients keep for the server, so that nothing of it is believed that the server has not written (AES-256-GCM).
 * The nonce follows from the text: the same text is sealed to the same characters.
 */
@Injectable()
export class Seals {
  private ring: readonly SealKey[] | undefined;

  constructor(
    private readonly settings: AttachmentSettings,
    private readonly server: ServerSettings,
  ) {}

  /** Visible ASCII characters: `kid.text`. */
  seal(kind: SealKind, value: JsonObject): string {
    const [key] = this.keys();
    if (!key) throw new Error('No key is configured');
    const text = JSON.stringify(value);
    const about = `${kind}\n${key.kid}`;
    const nonce = createHmac('sha256', key.nonce).update(`${about}\n${text}`).digest().subarray(0, NONCE_LENGTH);
    const cipher = createCipheriv(ALGORITHM, key.text, nonce).setAAD(Buffer.from(about));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${key.kid}.${sealed.toString('base64url')}`;
  }

  /** What was sealed; undefined for any other text. */
  open(kind: SealKind, sealed: string): JsonObject | undefined {
    const dot = sealed.lastIndexOf('.');
    const [kid, body] = [sealed.slice(0, Math.max(dot, 0)), sealed.slice(dot + 1)];
    const key = this.keys().find((one) => one.kid === kid);
    const bytes = Buffer.from(body, 'base64url');
    // Other base64 texts of the same bytes were not made here.
    if (!key || bytes.length <= NONCE_LENGTH + TAG_LENGTH || bytes.toString('base64url') !== body) return undefined;
    try {
      const options = { authTagLength: TAG_LENGTH };
      const decipher = createDecipheriv(ALGORITHM, key.text, bytes.subarray(0, NONCE_LENGTH), options)
        .setAAD(Buffer.from(`${kind}\n${kid}`))
        .setAuthTag(bytes.subarray(-TAG_LENGTH));
      const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_LENGTH, -TAG_LENGTH)), decipher.final()]);
      const value: unknown = JSON.parse(text.toString('utf8'));
      return isPlainObject(value) ? (value as JsonObject) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Read when it is first needed: reading may create the key file. */
  private keys(): readonly SealKey[] {
    this.ring ??= keyRing(this.settings.signingKeys, this.server.dataDir, KEY_FILE).map(({ kid, secret }) => {
      const derived = (part: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', `${PURPOSE} ${part}`, 32));
      return { kid, text: derived('text'), nonce: derived('nonce') };
    });
    return this.ring;
  }
}
