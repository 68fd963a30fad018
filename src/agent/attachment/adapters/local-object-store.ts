import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { ObjectStore } from '../ports/object-store.js';

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
    await mkdir(dirname(file), { recursive: true });
    const draft = `${file}.${randomUUID()}.part`;
    try {
      const handle = await open(draft, 'wx', 0o600);
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

  async remove(path: string): Promise<void> {
    await rm(this.file(path), { force: true });
  }

  private file(path: string): string {
    const file = join(this.root, ...path.split('/'));
    if (!file.startsWith(this.root + sep)) throw new Error(`The path ${path} is outside the folder`);
    return file;
  }
}
