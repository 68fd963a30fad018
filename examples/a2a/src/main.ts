import { existsSync } from 'node:fs';
import { serve, startFailure } from 'parley-server';
import { shop } from './extensions.js';

if (existsSync('.env')) process.loadEnvFile('.env');
process.env['DEFAULT_AGENT'] ??= 'shop';
process.env['SAMPLES'] ??= 'model';
process.env['REMOTE_AGENTS_FILE'] ??= 'shop.json';
process.env['DATA_DIR'] ??= 'data/shop';

serve(shop).catch((error: unknown) => {
  console.error(startFailure(error, process.env));
  process.exit(1);
});
