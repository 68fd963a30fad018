import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyList, ownKey } from '../../config/index.js';
import { UrlSigner } from './url-signer.js';

const OLD = { kid: 'k1', secret: 'an-old-secret-of-the-server' };
const NEW = { kid: 'k2', secret: 'a-new-secret-of-the-server' };
const SUBJECT = { tenantId: 'default', path: 'agent-inputs/default/alice/2026/03/x.png', exp: 1_800_000_000 };

describe('UrlSigner', () => {
  it('a signature has the form of the contract', () => {
    const text = `v1\n${SUBJECT.tenantId}\n${SUBJECT.path}\n${SUBJECT.exp}`;
    const sig = createHmac('sha256', NEW.secret).update(text).digest('base64url');
    expect(new UrlSigner([NEW, OLD]).sign(SUBJECT)).toEqual({ exp: SUBJECT.exp, kid: 'k2', sig });
  });

  it('signatures of every key of the ring are valid, and of no removed key', () => {
    const signature = new UrlSigner([OLD]).sign(SUBJECT);
    expect(new UrlSigner([NEW, OLD]).verify(SUBJECT, signature)).toBe(true);
    expect(new UrlSigner([NEW]).verify(SUBJECT, signature)).toBe(false);
  });

  it('a changed URL is refused', () => {
    const signer = new UrlSigner([NEW, OLD]);
    const signature = signer.sign(SUBJECT);
    expect(signer.verify({ ...SUBJECT, exp: SUBJECT.exp + 1 }, signature)).toBe(false);
    expect(signer.verify({ ...SUBJECT, tenantId: 'other' }, signature)).toBe(false);
    expect(signer.verify({ ...SUBJECT, path: `${SUBJECT.path}x` }, signature)).toBe(false);
    expect(signer.verify(SUBJECT, { ...signature, kid: 'k1' })).toBe(false);
    for (const sig of ['', 'x', `${signature.sig}=`, `${signature.sig}A`, signature.sig.toLowerCase()]) {
      expect(signer.verify(SUBJECT, { ...signature, sig })).toBe(false);
    }
  });
});

describe('the generated signing key', () => {
  it('the key is generated once and readable by its owner only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-key-'));
    const key = ownKey(join(folder, 'data'), 'attachment-signing-key');
    expect(key.secret).toHaveLength(43);
    expect(ownKey(join(folder, 'data'), 'attachment-signing-key')).toEqual(key);
    expect(statSync(join(folder, 'data', 'attachment-signing-key')).mode & 0o077).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('a list of keys is read in order', () => {
    expect(keyList().parse(' k2:a-secret:of-sixteen , k1:another-secret-of-16')).toEqual([
      { kid: 'k2', secret: 'a-secret:of-sixteen' },
      { kid: 'k1', secret: 'another-secret-of-16' },
    ]);
  });
});
