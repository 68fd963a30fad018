import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerSettings } from '../../config/index.js';
import { ContentSeal } from './content-seal.js';
import { ResponsesSettings } from './responses.settings.js';

const TEXT = 'Summary: Alice likes 🍇 and tea. '.repeat(50);

describe('sealed content', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'parley-seal-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const sealWith = (keys?: string): ContentSeal =>
    new ContentSeal(
      ResponsesSettings.from({ RESPONSES_SEALING_KEYS: keys }),
      ServerSettings.from({ DATA_DIR: folder }),
    );

  it('comes back as it was, tells nothing, and is another each time', () => {
    const seal = sealWith();
    const sealed = seal.seal(TEXT);
    expect(seal.open(sealed)).toBe(TEXT);
    expect(seal.open(seal.seal(''))).toBe('');
    expect(seal.seal(TEXT)).not.toBe(sealed);
    expect(Buffer.from(sealed.split(':')[2] ?? '', 'base64url').toString('latin1')).not.toContain('Alice');
  });

  it('is refused when any character of it was changed', () => {
    const seal = sealWith();
    const sealed = seal.seal('Alice');
    for (let at = 0; at < sealed.length; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      expect(seal.open(sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeUndefined();
    }
    for (const wrong of [`${sealed}A`, `${sealed}=`, `${sealed}:x`, sealed.slice(0, -1), sealed.slice(0, 12)]) {
      expect(seal.open(wrong)).toBeUndefined();
    }
  });

  it.each(['', 'plc1.abc', 'plc2', 'plc2:local', 'plc2:local:', 'plc2:local:AAAA', 'plc2:none:AAAA', 'gAAAAAB'])(
    'is nothing that others made: %j',
    (content) => expect(sealWith().open(content)).toBeUndefined(),
  );

  it('outlives a restart by the key in the data folder, which only its owner can read', () => {
    const sealed = sealWith().seal('Alice');
    expect(sealWith().open(sealed)).toBe('Alice');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('outlives its key as long as the ring has it', () => {
    const old = 'k1:0123456789abcdef';
    const next = 'k2:fedcba9876543210';
    const sealed = sealWith(old).seal('Alice');
    const both = sealWith(`${next},${old}`);
    expect(both.open(sealed)).toBe('Alice');
    expect(both.seal('Bob')).toMatch(/^plc2:k2:/);
    expect(sealWith(next).open(sealed)).toBeUndefined();
    expect(sealWith('k1:another-secret-of-16').open(sealed)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
  });
});
