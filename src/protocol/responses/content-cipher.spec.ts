import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tenantReach, userReach } from '../../common/index.js';
import { Fingerprints, readSettings, ServerSettings } from '../../config/index.js';
import { ContentCipher } from './content-cipher.js';
import { ResponsesSettings } from './responses.settings.js';

const TENANT = tenantReach('default');
const ALICE = userReach({ tenantId: 'default', userId: 'alice' });
const TEXT = 'Summary: Alice likes 🍇 and tea. '.repeat(50);

describe('encrypted content', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'parley-seal-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const cipherWith = (keys?: string): ContentCipher =>
    new ContentCipher(
      readSettings(ResponsesSettings, { RESPONSES_SEALING_KEYS: keys }),
      readSettings(ServerSettings, { DATA_DIR: folder }),
      new Fingerprints(),
    );

  it('encrypted content is unreadable, different each time, and decrypted to the same text', () => {
    const cipher = cipherWith();
    const encrypted = cipher.encrypt(TEXT, TENANT);
    expect(cipher.decrypt(encrypted, TENANT)).toBe(TEXT);
    expect(cipher.decrypt(cipher.encrypt('', TENANT), TENANT)).toBe('');
    expect(cipher.encrypt(TEXT, TENANT)).not.toBe(encrypted);
    expect(Buffer.from(encrypted.split(':')[2] ?? '', 'base64url').toString('latin1')).not.toContain('Alice');
  });

  it('content with any changed character is refused', () => {
    const cipher = cipherWith();
    const encrypted = cipher.encrypt('Alice', TENANT);
    for (let at = 0; at < encrypted.length; at += 1) {
      const other = encrypted[at] === 'A' ? 'B' : 'A';
      expect(cipher.decrypt(encrypted.slice(0, at) + other + encrypted.slice(at + 1), TENANT)).toBeUndefined();
    }
    for (const wrong of [
      `${encrypted}A`,
      `${encrypted}=`,
      `${encrypted}:x`,
      encrypted.slice(0, -1),
      encrypted.slice(0, 12),
    ]) {
      expect(cipher.decrypt(wrong, TENANT)).toBeUndefined();
    }
  });

  it.each(['', 'plc1.abc', 'plc2', 'plc2:local', 'plc2:local:', 'plc2:local:AAAA', 'plc2:none:AAAA', 'gAAAAAB'])(
    'content that this server did not make is refused: %j',
    (content) => expect(cipherWith().decrypt(content, TENANT)).toBeUndefined(),
  );

  it('content of another tenant is refused', () => {
    const cipher = cipherWith();
    expect(cipher.decrypt(cipher.encrypt('Alice', TENANT), tenantReach('another'))).toBeUndefined();
  });

  it('content of a user is refused for another user, for a user of another tenant and for the tenant', () => {
    const cipher = cipherWith();
    const encrypted = cipher.encrypt('Alice', ALICE);
    expect(encrypted).toMatch(/^plc3:local:/);
    expect(cipher.decrypt(encrypted, ALICE)).toBe('Alice');
    const others = [
      userReach({ tenantId: 'default', userId: 'bob' }),
      userReach({ tenantId: 'another', userId: 'alice' }),
      TENANT,
    ];
    expect(others.map((other) => cipher.decrypt(encrypted, other))).toEqual([undefined, undefined, undefined]);
  });

  it('content of a tenant, which earlier versions made, is refused for a user and for another format', () => {
    const cipher = cipherWith();
    const encrypted = cipher.encrypt('Alice', TENANT);
    expect(encrypted).toMatch(/^plc2:local:/);
    expect(cipher.decrypt(encrypted, ALICE)).toBeUndefined();
    expect(cipher.decrypt(encrypted.replace('plc2', 'plc3'), ALICE)).toBeUndefined();
  });

  it('content is readable after a restart, by a key file that only its owner can read', () => {
    const encrypted = cipherWith().encrypt('Alice', TENANT);
    expect(cipherWith().decrypt(encrypted, TENANT)).toBe('Alice');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('content is readable as long as its key is in the ring', () => {
    const old = 'k1:0123456789abcdef';
    const next = 'k2:fedcba9876543210';
    const encrypted = cipherWith(old).encrypt('Alice', TENANT);
    const both = cipherWith(`${next},${old}`);
    expect(both.decrypt(encrypted, TENANT)).toBe('Alice');
    expect(both.encrypt('Bob', TENANT)).toMatch(/^plc2:k2:/);
    expect(cipherWith(next).decrypt(encrypted, TENANT)).toBeUndefined();
    expect(cipherWith('k1:another-secret-of-16').decrypt(encrypted, TENANT)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });
});
