import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL_PROVIDER_NAMES, modelProvider } from './model-providers.js';

const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text}\``);

describe('the providers of models', () => {
  it('docs/models.md lists them with their keys, models and packages', () => {
    const page = readFileSync(join(__dirname, '../../docs/models.md'), 'utf8');
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
