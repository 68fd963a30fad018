import { existsSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { commandOrigin } from '../common/index.js';
import { UserExports } from '../data-protection/index.js';
import { type Command, textOf, UsageError } from './command.js';
import { isOwnProject, settingsIn } from './own-project.js';
import { userOf } from './user-argument.js';

/** The codes of errors for places that cannot be written. */
const UNWRITABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'EROFS']);

/** `npm run data -- export …` (contract access, section 9). */
export const EXPORT_COMMAND: Command = {
  usage:
    'USER [--tenant ID] [--out FILE]   writes everything that is stored of a user to stdout, or to a new file, as JSON Lines; without a last line that begins with {"end" it was cut, and may be repeated',
  positionals: ['USER'],
  options: { tenant: { type: 'string' }, out: { type: 'string' } },
  async needs(env) {
    const { readDatabase } = await import('../app.module.js');
    const { CliExportModule } = await import('./export.module.js');
    const { extensions, exporters } = readDatabase(settingsIn(process.cwd(), env));
    return { extensions, imports: [CliExportModule.forRoot(env, exporters)] };
  },
  async run(app, args, terminal) {
    const file = textOf(args, 'out');
    if (file !== undefined && existsSync(file)) throw new UsageError(`${file} exists already`);
    const user = await userOf(app, args);
    const begin = (): Promise<AsyncIterable<Buffer>> =>
      app.get(UserExports).begin(user, commandOrigin(userInfo().username));
    if (file === undefined) for await (const piece of await begin()) terminal.out(piece.toString().trimEnd());
    else await writeWhole(file, begin);
    if (isOwnProject(process.cwd()))
      terminal.note('What modules of your own store is in the exports of a server: GET /admin/users/{id}/export.');
    return 0;
  },
};

/**
 * Writes a file that nobody else may read, and that is there once it is whole. Of an export that fails nothing stays.
 *
 * @throws UsageError for a place that cannot be written, or where another export may be writing
 */
async function writeWhole(file: string, begin: () => Promise<AsyncIterable<Buffer>>): Promise<void> {
  const part = `${file}.part`;
  let target: FileHandle;
  try {
    target = await open(part, 'wx', 0o600);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new UsageError(`${part} exists already: remove it if no other export writes it`);
    throw UNWRITABLE.has(code) ? new UsageError(`${file} cannot be written`) : error;
  }
  try {
    const pieces = Readable.from(await begin(), { objectMode: false });
    await pipeline(pieces, target.createWriteStream());
    renameSync(part, file);
  } catch (error) {
    await target.close();
    rmSync(part, { force: true });
    throw error;
  }
}
