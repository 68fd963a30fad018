import { createWriteStream, existsSync, renameSync } from 'node:fs';
import { userInfo } from 'node:os';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { commandOrigin } from '../common/index.js';
import { UserExports } from '../data-protection/index.js';
import { type Command, textOf, UsageError } from './command.js';
import { isOwnProject, settingsIn } from './own-project.js';
import { userOf } from './user-argument.js';

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
    const lines = await app.get(UserExports).begin(user, commandOrigin(userInfo().username));
    if (file === undefined) for await (const piece of lines) terminal.out(piece.toString().trimEnd());
    else await writeWhole(file, lines);
    if (isOwnProject(process.cwd()))
      terminal.note('What modules of your own store is in the exports of a server: GET /admin/users/{id}/export.');
    return 0;
  },
};

/** Writes a file that nobody else may read, and that is there once it is whole. @throws UsageError for a place that cannot be written */
async function writeWhole(file: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  const part = `${file}.part`;
  try {
    await pipeline(Readable.from(pieces, { objectMode: false }), createWriteStream(part, { mode: 0o600 }));
    renameSync(part, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw ['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'EROFS'].includes(code)
      ? new UsageError(`${file} cannot be written`)
      : error;
  }
}
