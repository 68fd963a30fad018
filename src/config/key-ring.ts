import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A secret of the server by its name, so that it can be replaced while what was made with the old one still lives. */
export interface ServerKey {
  readonly kid: string;
  readonly secret: string;
}

/**
 * The keys of one purpose: the first is used, all are accepted. What the configuration names, else the one
 * that this machine made for itself.
 *
 * @param configured `kid:secret,kid:secret`
 * @param file the name of the file in the data folder that keeps the machine's own key
 */
export function keyRing(configured: string | undefined, dataDir: string, file: string): readonly ServerKey[] {
  return configured === undefined ? [ownKey(dataDir, file)] : parseKeys(configured);
}

/** The key that this machine made for itself in its data folder; made now when there is none. */
export function ownKey(dataDir: string, name: string): ServerKey {
  const file = join(dataDir, name);
  return readKey(file) ?? makeKey(dataDir, file);
}

/** Several processes may start at once: the first one's key is everybody's. */
function makeKey(dataDir: string, file: string): ServerKey {
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

function readKey(file: string): ServerKey | undefined {
  try {
    return parseKeys(readFileSync(file, 'utf8').trim())[0];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads `kid:secret,kid:secret`. What is not of that form is left out: the configuration has checked it. */
export function parseKeys(text: string): readonly ServerKey[] {
  return text.split(',').flatMap((item) => {
    const [, kid, secret] = /^\s*([\w.-]+):(\S+?)\s*$/.exec(item) ?? [];
    return kid && secret ? [{ kid, secret }] : [];
  });
}
