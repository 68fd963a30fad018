import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { StartupError } from '../common/index.js';

/**
 * Creates a folder that the server keeps files in, if it does not exist, and makes sure that files can be created in it.
 *
 * @param folder an absolute path
 * @param setting the name of the setting that the path comes from, for the message
 * @throws StartupError that names the setting, the path, the user and what is wrong
 */
export function ensureDataFolder(folder: string, setting: string): void {
  try {
    createFolder(folder);
    const probe = join(folder, `.writable.${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const { username, uid } = userInfo();
    throw new StartupError(
      `Parley cannot start: ${setting} needs the folder ${folder}, in which the user ${username} (${uid}) cannot create files: ${reason(error)}. Choose another folder with ${setting}, or change the owner of this one.`,
      { cause: error },
    );
  }
}

/** Folder by folder: with `recursive`, Node never returns for a path below /proc. */
function createFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new Error(`${folder} is a file`);
  if (dirname(folder) !== folder) createFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full';
  if (code === 'ENOTDIR') return 'a part of the path is a file';
  if (code === 'ENOENT') return 'the folder cannot be created there';
  return message;
}
