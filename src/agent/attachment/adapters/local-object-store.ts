import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { ObjectStore } from '../ports/object-store.js';

const CREATE_TRIES = 5;

/** Objects as files in a folder of this machine. */
export class LocalObjectStore extends ObjectStore {
  private readonly root: string;

  /** @param folder created with the first object */
  constructor(folder: string) {
    super();
    this.root = resolve(folder);
  }

  async put(path: string, bytes: Buffer): Promise<void> {
    const file = this.file(path);
    const draft = `${file}.${randomUUID()}.part`;
    try {
      const handle = await this.create(draft);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async get(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.file(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Also removes the folders that are empty then: their names tell whose files they held. */
  async remove(path: string): Promise<void> {
    const file = this.file(path);
    await rm(file, { force: true });
    for (let folder = dirname(file); folder !== this.root; folder = dirname(folder)) {
      const error = await rmdir(folder).then(
        () => undefined,
        (reason: unknown) => reason as NodeJS.ErrnoException,
      );
      if (error && error.code !== 'ENOENT') return;
    }
  }

  /** Tries again if somebody has removed the folder, which was empty, in between. */
  private async create(file: string): Promise<FileHandle> {
    for (let tries = 1; ; tries += 1) {
      await mkdir(dirname(file), { recursive: true });
      try {
        return await open(file, 'wx', 0o600);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === CREATE_TRIES) throw error;
      }
    }
  }

  private file(path: string): string {
    const file = join(this.root, ...path.split('/'));
    if (!file.startsWith(this.root + sep)) throw new Error(`The path ${path} is outside the folder`);
    return file;
  }
}
