import { crc32 } from 'node:zlib';
import { hashOfKey, idOfKey, KEY_PREFIX, keyOf, newKey } from './key-form.js';

const ID = '0123456789ab';
const ZEROS = keyOf(ID, new Uint8Array(32));

describe('the form of API keys', () => {
  it('a new key has the documented form, and its id can be read from it', () => {
    const { id, text } = newKey();
    expect(text).toMatch(/^parley_sk_[0-9A-Za-z]{61}$/);
    expect(id).toMatch(/^[0-9A-Za-z]{12}$/);
    expect(idOfKey(text)).toBe(id);
  });

  it('two keys differ in id and secret', () => {
    const keys = Array.from({ length: 100 }, () => newKey());
    expect(new Set(keys.map(({ id }) => id)).size).toBe(100);
    expect(new Set(keys.map(({ text }) => text.slice(22, 65))).size).toBe(100);
  });

  it('a key consists of prefix, id, secret and checksum', () => {
    expect(ZEROS.slice(0, 65)).toBe(`${KEY_PREFIX}${ID}${'0'.repeat(43)}`);
    expect(valueOf(ZEROS.slice(65))).toBe(crc32(ZEROS.slice(0, 65)));
  });

  it('all 256 bits of the secret are in the key', () => {
    const secrets = Array.from({ length: 256 }, (_, bit) => {
      const bytes = new Uint8Array(32);
      bytes[bit >> 3] = 1 << (bit & 7);
      return keyOf(ID, bytes);
    });
    expect(new Set([...secrets, ZEROS]).size).toBe(257);
    expect(idOfKey(keyOf(ID, new Uint8Array(32).fill(255)))).toBe(ID);
  });

  it('a key with any one character replaced is refused', () => {
    const { text } = newKey();
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === 'x' ? 'y' : 'x';
      expect(idOfKey(`${text.slice(0, at)}${other}${text.slice(at + 1)}`)).toBeUndefined();
    }
  });

  it.each([
    ['an empty text', ''],
    ['the prefix alone', KEY_PREFIX],
    ['a key that is too short', ZEROS.slice(0, -1)],
    ['a key that is too long', `${ZEROS}0`],
    ['a key with a line break', `${ZEROS}\n`],
    ['a key of another prefix', `parley_tk_${ZEROS.slice(10)}`],
    ['other characters', `${KEY_PREFIX}${'_'.repeat(61)}`],
  ])('%s is refused', (_, text) => {
    expect(idOfKey(text)).toBeUndefined();
  });

  it('the hash is the SHA-256 of the whole key', () => {
    expect(hashOfKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

function valueOf(digits: string): number {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return [...digits].reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0);
}
