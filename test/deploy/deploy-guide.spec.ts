import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { SERVER_FLAG } from '../../src/runtime/index.js';
import { objectsOf, valueAt } from '../support/helm/chart.js';
import { problemsOf } from '../support/helm/kubernetes.js';

const ROOT = join(__dirname, '../..');
const page = read('docs/deploy.md');
const itWithKubectl = spawnSync('kubectl', ['version', '--client']).status === 0 ? it : it.skip;

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The code block after a comment that names it. */
function block(name: string): string {
  const found = new RegExp(`<!-- ${name} -->\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  if (found === undefined) throw new Error(`docs/deploy.md has no block ${name}`);
  return found;
}

describe('docs/deploy.md', () => {
  const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text]) => text ?? '').join('\n');

  it('names settings that exist', () => {
    const settings = new Set([...read('.env.example').matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name));
    const notSettings = new Set(['BUILD_IMAGE', 'RUNTIME_IMAGE', 'VERSION', 'REVISION', 'PARLEY_PORT', 'CONTAINER']);
    const named = [...page.matchAll(/(?:`|--env |^ +)([A-Z][A-Z0-9_]{2,})(?=[=`:])/gm)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(15);
    expect([...new Set(named)].filter((name) => !settings.has(name) && !notSettings.has(name))).toEqual([]);
  });

  it('names files that exist', () => {
    const files = [...page.matchAll(/(?:^|[\s`(])((?:deploy|scripts|docs)\/[\w./-]+)/gm)].map(([, file]) => file ?? '');
    expect(files.length).toBeGreaterThan(5);
    const ofTheReader = ['deploy/kustomize/production'];
    expect(files.filter((file) => !existsSync(join(ROOT, file)) && !ofTheReader.includes(file))).toEqual([]);
  });

  it('names services of compose.yaml', () => {
    const services = Object.keys((parse(read('compose.yaml'), { merge: true }) as { services: object }).services);
    const named = [...commands.matchAll(/(?:exec|--rm|--wait) ((?:parley|migrate)[\w-]*)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name = '') => !services.includes(name))).toEqual([]);
  });

  it('names the arguments of the Dockerfile with their defaults', () => {
    const declared = [...read('Dockerfile').matchAll(/^ARG (\w+)=(\S+)/gm)].map(([, name, value]) => [name, value]);
    expect(declared.length).toBe(4);
    for (const [name = '', value = ''] of declared) {
      const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
      expect(row).toContain(`\`${value}\``);
    }
  });

  it('the example of values fits the schema of the chart', () => {
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(read('deploy/helm/parley/values.schema.json')) as object,
    );
    expect([validate(parse(block('values'))), validate.errors]).toEqual([true, null]);
  });

  itWithKubectl('the example of kustomize builds what it says (skipped without kubectl)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-kustomize-'));
    try {
      cpSync(join(ROOT, 'deploy/kustomize/base'), join(folder, 'base'), { recursive: true });
      mkdirSync(join(folder, 'production'));
      writeFileSync(join(folder, 'production/kustomization.yaml'), block('kustomization'));
      const built = execFileSync('kubectl', ['kustomize', join(folder, 'production')], { encoding: 'utf8' });
      const objects = objectsOf(built);
      expect(objects.flatMap(problemsOf)).toEqual([]);
      const server = objects.find(({ kind }) => kind === 'Deployment') ?? {};
      expect(valueAt(server, 'spec.replicas')).toBe(3);
      expect(valueAt(server, 'spec.template.spec.containers.0.image')).toBe('registry.example.org/parley:0.1.0');
      const settings = objects.find(({ kind }) => kind === 'ConfigMap') ?? {};
      expect(valueAt(settings, 'data.PUBLIC_BASE_URL')).toBe('https://agents.example.org');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('the unit starts the server, and gives it the time that compose.yaml gives', () => {
    const unit = block('unit');
    // With the flag of Node that `npm start`, the images and `parley start` have.
    const [, flag] = /"exec node (--\S+) scripts/.exec(read('package.json')) ?? [];
    expect(flag).toBe(SERVER_FLAG);
    expect(read('Dockerfile')).toContain(`CMD ["node", "${flag}", "scripts/start.mjs"]`);
    expect(read('templates/project/Dockerfile')).toContain(`CMD ["node", "${flag}", "dist/src/main.js"]`);
    expect(unit.split('\n')).toContain(`ExecStart=/usr/bin/node ${flag} dist/src/main.js`);
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
    expect(read('compose.yaml')).toContain(`stop_grace_period: ${seconds}s`);
    const lines = unit.split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => !/^(\[\w+\]|[A-Z]\w+=.*)$/.test(line))).toEqual([]);
  });
});
