import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL_PROVIDER_NAMES, modelProvider } from './model-providers.js';

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``);

const read = (path: string): string => readFileSync(join(__dirname, '../..', path), 'utf8');
const packages = MODEL_PROVIDER_NAMES.flatMap((name) => modelProvider(name).native ?? []);

describe('the providers of models', () => {
  it('the image has the packages of all', () => {
    const list = [...read('scripts/image-packages.mjs').matchAll(/^ {2}'(.+)',$/gm)].map(([, name]) => name);
    expect(list.sort()).toEqual(packages.map(({ name }) => name).sort());
    const dockerfile = read('Dockerfile');
    expect(dockerfile.indexOf('node scripts/image-packages.mjs')).toBeGreaterThan(0);
    expect(dockerfile.indexOf('node scripts/image-packages.mjs')).toBeLessThan(dockerfile.indexOf('npm ci --omit=dev'));
  });

  it.each(packages)('$name is locked in the version line that the server asks for', ({ name, version }) => {
    const numbers = (text = ''): number[] => text.replace('^', '').split('.').map(Number);
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
    const [major, minor = 0, patch = 0] = numbers(devDependencies[name]);
    const [wanted, least = 0, leastPatch = 0] = numbers(version);
    expect(major).toBe(wanted);
    expect(minor * 1e6 + patch).toBeGreaterThanOrEqual(least * 1e6 + leastPatch);
  });

  it('docs/models.md lists them with their keys, models and packages', () => {
    const page = read('docs/models.md');
    const section = page.slice(page.indexOf('## Providers by name'), page.indexOf('## Try a model'));
    const rows = [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) =>
      row.split('|').map((cell) => cell.trim()),
    );
    const wanted = MODEL_PROVIDER_NAMES.map((name) => {
      const { keys, model, native } = modelProvider(name);
      return [code(name), code(keys[0]) || 'that of the package', code(model), code(native?.name) || 'none'];
    });
    expect(rows.slice(1)).toEqual(wanted);
  });
});
