import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDataFolder } from './data-folder.js';
import { splitList } from './rules.js';
import { type Rule } from './setting.js';

/** A secret of the server with an id, so that it can be replaced while what was made with the old one is still valid. */
export interface ServerKey {
  readonly kid: string;
  readonly secret: string;
}

/** `kid:secret` separated by commas; secrets of at least 16 characters, no kid twice. */
export function keyList(): Rule<readonly ServerKey[]> {
  return {
    expectation: 'a comma-separated list of kid:secret, each secret of at least 16 characters and no kid twice',
    parse: (text) => {
      const keys = splitList(text).map(parseKey);
      const isValid = (key: ServerKey | undefined): key is ServerKey =>
        key !== undefined && /^[\w.-]{1,64}$/.test(key.kid) && /^[\x21-\x7e]{16,512}$/.test(key.secret);
      const valid = keys.filter(isValid);
      const kids = new Set(valid.map(({ kid }) => kid));
      return valid.length > 0 && valid.length === keys.length && kids.size === keys.length ? valid : undefined;
    },
  };
}

/**
 * The keys of one purpose: the first is used, all are accepted. Without configured keys it is the one key
 * that this machine has generated.
 *
 * @param file the name of the file in the data folder that keeps the generated key
 */
export function keyRing(
  configured: readonly ServerKey[] | undefined,
  dataDir: string,
  file: string,
): readonly ServerKey[] {
  return configured ?? [ownKey(dataDir, file)];
}

/**
 * The key that this machine has generated in its data folder; generated now if there is none.
 *
 * @param kid of a key that is generated now
 */
export function ownKey(dataDir: string, name: string, kid = 'local'): ServerKey {
  const file = join(dataDir, name);
  return readKey(file) ?? generateKey(dataDir, file, kid);
}

/** Several processes may start at once: all use the key of the first. */
function generateKey(dataDir: string, file: string, kid: string): ServerKey {
  ensureDataFolder(dataDir, 'DATA_DIR');
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${kid}:${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKey(file);
  if (!key) throw new Error(`${file} holds no key`);
  return key;
}

function readKey(file: string): ServerKey | undefined {
  try {
    const [first = ''] = splitList(readFileSync(file, 'utf8'));
    return parseKey(first);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Reads `kid:secret`; undefined for any other text. */
function parseKey(text: string): ServerKey | undefined {
  const [, kid, secret] = /^([\w.-]+):(\S+)$/.exec(text) ?? [];
  return kid && secret ? { kid, secret } : undefined;
}
