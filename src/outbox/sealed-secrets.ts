import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AttachmentSettings } from '../agent/attachment/index.js';
import { keyRing, ServerSettings } from '../config/index.js';

/** The ring that signs addresses of attachments, from which the keys are derived. */
const KEY_FILE = 'attachment-signing-key';
const PURPOSE = 'parley outbox secrets v1';
const ALGORITHM = 'aes-256-gcm';

/** Seals what is stored and must not be read in the database (AES-256-GCM). */
@Injectable()
export class SealedSecrets {
  constructor(
    private readonly settings: AttachmentSettings,
    private readonly server: ServerSettings,
  ) {}

  /** @param about what the secret belongs to: it opens nowhere else */
  seal(text: string, about: string): string {
    const [key] = this.keys();
    if (!key) throw new Error('No key is configured');
    const nonce = randomBytes(12);
    const cipher = createCipheriv(ALGORITHM, key.secret, nonce).setAAD(Buffer.from(about));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [key.kid, ...[nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
  }

  /** What was sealed; undefined if its key is gone, or it was changed. */
  open(sealed: string, about: string): string | undefined {
    const parts = sealed.split('.');
    const [nonce, text, tag] = parts.slice(-3).map((part) => Buffer.from(part, 'base64url'));
    const kid = parts.slice(0, -3).join('.');
    const key = this.keys().find((one) => one.kid === kid);
    if (!key || !nonce || !text || !tag) return undefined;
    try {
      const decipher = createDecipheriv(ALGORITHM, key.secret, nonce).setAAD(Buffer.from(about)).setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }

  /** Whether a text is sealed with the key that seals now. */
  isNewest(sealed: string): boolean {
    return this.keys()[0]?.kid === sealed.split('.').slice(0, -3).join('.');
  }

  private keys(): readonly { readonly kid: string; readonly secret: Buffer }[] {
    return keyRing(this.settings.signingKeys, this.server.dataDir, KEY_FILE).map(({ kid, secret }) => {
      return { kid, secret: Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, 32)) };
    });
  }
}
