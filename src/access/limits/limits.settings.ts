import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { choice, type ConfigurationProblem, path, RedisSettings, setting, settings } from '../../config/index.js';
import { DatabaseSettings } from '../../database/index.js';
import { AccessSettings } from '../access.settings.js';
import { LIMITS_FILE, type LimitsFile } from './limit-values.js';

/** How much callers may do. */
export class LimitsSettings extends settings('Limits', {
  store: setting('LIMITS_STORE', choice('local', 'redis', 'postgres'), {
    default: 'local',
    description:
      'Where requests are counted for the [limits](access.md#limits): `local` counts in each process, so N processes allow N times as much; `redis` and `postgres` (the database in DATABASE_URL) count for all processes together. Without authentication there are no limits.',
  }),
  limitsFile: setting('LIMITS_FILE', path(), {
    unset: 'none: the defaults',
    description:
      'JSON file with limits that replace the defaults, for all tenants or for single ones (access.md). Read when the server starts.',
  }),
}) {
  /** REDIS_URL. */
  readonly redisUrl = this.source.slice(RedisSettings).url;

  readonly #reading = readLimits(this.limitsFile);

  /** The contents of LIMITS_FILE; empty without one. */
  readonly file: LimitsFile = this.#reading.file;

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const problems = this.#reading.problems.map((message) => ({ name: 'LIMITS_FILE', message }));
    const needsUrl = this.store === 'redis' && this.redisUrl === undefined && !unusable.has('REDIS_URL');
    if (needsUrl) problems.push({ name: 'REDIS_URL', message: 'must be set, because LIMITS_STORE is redis' });
    if (this.store === 'postgres' && !unusable.has('DATABASE_URL') && !this.hasPostgres) {
      problems.push({ name: 'LIMITS_STORE', message: 'must not be postgres, because DATABASE_URL is not PostgreSQL' });
    }
    return problems;
  }

  override warnings(): readonly string[] {
    const { isAuthenticated } = this.source.slice(AccessSettings);
    if (!isAuthenticated || this.store !== 'local' || !this.hasPostgres) return [];
    return [
      'LIMITS_STORE is local: each process counts requests for itself, so several processes on this database allow a multiple of the limits. Set LIMITS_STORE to redis or postgres to count them together.',
    ];
  }

  private get hasPostgres(): boolean {
    return this.source.slice(DatabaseSettings).address.kind === 'postgres';
  }
}

function readLimits(file: string | undefined): { file: LimitsFile; problems: readonly string[] } {
  if (file === undefined) return { file: {}, problems: [] };
  let contents: unknown;
  try {
    contents = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    return { file: {}, problems: [`names a file that ${reason}: ${file}`] };
  }
  const checked = LIMITS_FILE.safeParse(contents);
  if (checked.success) return { file: checked.data, problems: [] };
  return { file: {}, problems: [`names a file that cannot be used: ${z.prettifyError(checked.error)}`] };
}
