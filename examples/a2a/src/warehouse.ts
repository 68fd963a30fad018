import { existsSync } from 'node:fs';
import { serve, startFailure } from 'parley-server';
import { warehouse } from './extensions.js';

if (existsSync('.env')) process.loadEnvFile('.env');
process.env['DEFAULT_AGENT'] ??= 'warehouse';
process.env['SAMPLES'] ??= 'model';
process.env['REMOTE_AGENTS_FILE'] ??= 'warehouse.json';
process.env['DATA_DIR'] ??= 'data/warehouse';
process.env['PORT'] ??= '8091';

serve(warehouse).catch((error: unknown) => {
  console.error(startFailure(error, process.env));
  process.exit(1);
});
