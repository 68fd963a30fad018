import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

const ROOT = join(__dirname, '../..');
const KEYS = join(ROOT, 'deploy/compose/keys.sh');
const BALANCER = join(ROOT, 'deploy/compose/haproxy.cfg');
const HAPROXY = ['/usr/sbin/haproxy', '/usr/bin/haproxy'].find(existsSync);

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly [key: string]: unknown;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: {
    readonly default: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } };
  };
}

const text = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
const compose = parse(text, { merge: true }) as ComposeFile;

function service(name: string): Service {
  const found = compose.services[name];
  if (!found) throw new Error(`no service ${name}`);
  return found;
}

/** The variables of the file that keys.sh prints. */
function settingsOf(file: string): Map<string, string> {
  const lines = file.split('\n').filter((line) => /^[A-Z]/.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

describe('compose.yaml', () => {
  it('fits the schema of Compose', () => {
    const file = join(ROOT, 'test/node_modules/dclint/schemas/compose.schema.json');
    const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
    // The schema names its own version by an address that ajv does not know.
    const ajv = new Ajv({ strict: false, validateSchema: false });
    addFormats(ajv);
    const validate = ajv.compile({ ...schema, $schema: undefined });
    expect([validate(compose), validate.errors]).toEqual([true, null]);
  });

  it('starts servers when the database is migrated, the bucket exists and Valkey answers', () => {
    for (const name of ['parley-1', 'parley-2']) {
      expect(service(name).depends_on).toEqual({
        bucket: { condition: 'service_completed_successfully' },
        migrate: { condition: 'service_completed_successfully' },
        valkey: { condition: 'service_healthy' },
      });
      expect(service(name)).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
    expect(service('migrate')).toMatchObject({
      command: ['node', 'scripts/migration.mjs', 'run'],
      depends_on: { postgres: { condition: 'service_healthy' } },
    });
    expect(service('valkey').command?.join(' ')).toContain('--maxmemory-policy noeviction');
  });

  it('gives a server time to drain', () => {
    const { environment = {}, stop_grace_period: grace } = service('parley-1');
    const drainMs = Number(environment.DRAIN_RUN_MS) + Number(environment.DRAIN_STREAM_MS);
    expect(grace).toBe(`${drainMs / 1000 + 30}s`);
  });

  it('trusts X-Forwarded-For of its own network only', () => {
    const [network] = compose.networks.default.ipam.config;
    expect(service('parley-1').environment?.TRUSTED_PROXIES).toBe(network?.subnet);
  });

  it('mounts files that exist', () => {
    const files = Object.values(compose.services)
      .flatMap(({ volumes = [] }) => volumes)
      .flatMap((volume) => /^(\.\/[^:]+):/.exec(volume)?.[1] ?? []);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('every image has a fixed version', () => {
    for (const [name, { image }] of Object.entries(compose.services)) {
      if (!image.includes('PARLEY_IMAGE'))
        expect([name, image]).toEqual([name, expect.stringMatching(/:[\w.]*\d[\w.-]*$/)]);
    }
  });

  it('keys.sh gives everything that it needs, with new keys each time', () => {
    const make = (): Map<string, string> => settingsOf(execFileSync('sh', [KEYS], { encoding: 'utf8' }));
    const [first, second] = [make(), make()];
    const needed = [...text.matchAll(/\$\{(\w+)(?::\?[^}]*)?\}/g)].map(([, name]) => name);
    expect(needed.length).toBeGreaterThan(5);
    expect(needed.filter((name = '') => !first.get(name))).toEqual([]);
    const secrets = [...first].filter(([name]) => /PASSWORD|_KEYS$|SECRET/.test(name));
    expect(secrets.length).toBeGreaterThanOrEqual(6);
    for (const [name, value] of secrets) {
      expect(value).toMatch(/^(k1:)?[0-9a-f]{64}$/);
      expect(value).not.toBe(second.get(name));
    }
  });

  (HAPROXY ? it : it.skip)('the load balancer accepts its configuration (skipped without HAProxy)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-haproxy-'));
    try {
      const file = join(folder, 'haproxy.cfg');
      writeFileSync(file, readFileSync(BALANCER));
      const checked = spawnSync(HAPROXY ?? '', ['-c', '-f', file], { encoding: 'utf8' });
      expect([checked.status, checked.stderr]).toEqual([0, expect.not.stringContaining('ALERT')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
