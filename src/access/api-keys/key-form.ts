import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** How every API key begins, so that people and scanners recognize one. */
export const KEY_PREFIX = 'parley_sk_';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);
const FORM = /^parley_sk_[0-9A-Za-z]{61}$/;
const ID_LENGTH = 12;
/** As many digits as 256 bits need. */
const SECRET_LENGTH = 43;
const SECRET_BYTES = 32;
const CHECK_LENGTH = 6;

/** A new key: `text` is the whole key, the only copy of its secret. */
export interface NewKey {
  readonly id: string;
  readonly text: string;
}

/** Makes a key with a random id and a random secret of 256 bits (contract access, section 3.1). */
export function newKey(): NewKey {
  const id = base62(randomBytes(ID_LENGTH), ID_LENGTH);
  return { id, text: keyOf(id, randomBytes(SECRET_BYTES)) };
}

/** The key of an id and a secret: prefix, id, secret and checksum. */
export function keyOf(id: string, secret: Uint8Array): string {
  const text = `${KEY_PREFIX}${id}${base62(secret, SECRET_LENGTH)}`;
  return `${text}${checksum(text)}`;
}

/** The id in a key; undefined if the text does not have the form of a key or its checksum is wrong. */
export function idOfKey(text: string): string | undefined {
  if (!FORM.test(text)) return undefined;
  const end = text.length - CHECK_LENGTH;
  if (text.slice(end) !== checksum(text.slice(0, end))) return undefined;
  return text.slice(KEY_PREFIX.length, KEY_PREFIX.length + ID_LENGTH);
}

/** What is stored of a key: its SHA-256 in hexadecimal digits. The secret is random, so it needs no salt. */
export function hashOfKey(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The CRC-32 of a text in base62. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECK_LENGTH; place += 1) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

/** The last `length` base62 digits of a number in big-endian bytes. */
function base62(bytes: Uint8Array, length: number): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let digits = '';
  for (let place = 0; place < length; place += 1) {
    digits = `${DIGITS[Number(rest % BASE)]}${digits}`;
    rest /= BASE;
  }
  return digits;
}
