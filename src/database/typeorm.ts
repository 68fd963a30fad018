import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MetadataArgsStorage } from 'typeorm/metadata-args/MetadataArgsStorage.js';
import { PlatformTools } from 'typeorm/platform/PlatformTools.js';
import packageJson from '../../package.json';
import { StartupError } from '../common/index.js';

/** What TypeORM keeps in the global object, for all its copies in a process. */
interface GlobalScope {
  typeormMetadataArgsStorage?: unknown;
  readonly localStorage?: unknown;
}

/**
 * Gives this copy of TypeORM a place of its own for what its decorators collect. Copies of other versions, such as the one
 * of an application in which the server is embedded, would share the place: whichever comes second calls methods that the
 * first does not have. Nothing is changed if this copy already keeps its decorators in the global object: then the
 * application uses the same copy.
 */
function keepApart(): void {
  const shared = globalThis as GlobalScope;
  if (shared.typeormMetadataArgsStorage instanceof MetadataArgsStorage) return;
  const own: GlobalScope = {
    typeormMetadataArgsStorage: new MetadataArgsStorage(),
    get localStorage() {
      return shared.localStorage;
    },
  };
  PlatformTools.getGlobalVariable = () => own;
}

// Before any decorator of TypeORM runs: entities import them from this file.
keepApart();

/**
 * Checks that npm has installed the TypeORM that this package asks for.
 *
 * @throws StartupError if it has not, because the project overrides the version
 */
export function requireOwnVersion(): void {
  const file = join(dirname(require.resolve('typeorm')), 'package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  const wanted = packageJson.dependencies.typeorm;
  if (version.split('.')[0] === wanted.split('.')[0]) return;
  throw new StartupError(
    `Parley needs TypeORM ${wanted} but finds ${version}: remove typeorm from the overrides of your package.json and install again. Your application may use its own version.`,
  );
}

export {
  Column,
  DataSource,
  Entity,
  Index,
  MigrationExecutor,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';
