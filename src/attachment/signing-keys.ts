import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SigningKey } from './url-signer.js';

const FILE = 'attachment-signing-key';

/** The key that this machine made for itself in its data folder; made now when there is none. */
export function ownSigningKey(dataDir: string): SigningKey {
  const file = join(dataDir, FILE);
  return readKey(file) ?? makeKey(dataDir, file);
}

/** Several processes may start at once: the first one's key is everybody's. */
function makeKey(dataDir: string, file: string): SigningKey {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `local:${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
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

function readKey(file: string): SigningKey | undefined {
  try {
    return parseSigningKeys(readFileSync(file, 'utf8').trim())[0];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads `kid:secret,kid:secret`. What is not of that form is left out: the configuration has checked it. */
export function parseSigningKeys(text: string): readonly SigningKey[] {
  return text.split(',').flatMap((item) => {
    const [, kid, secret] = /^\s*([\w.-]+):(\S+?)\s*$/.exec(item) ?? [];
    return kid && secret ? [{ kid, secret }] : [];
  });
}
