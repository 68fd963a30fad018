import { existsSync } from 'node:fs';
import { serve, startFailure } from 'parley-server';
import { extensions } from './extensions.js';

if (existsSync('.env')) process.loadEnvFile('.env');
process.env['DEFAULT_AGENT'] ??= 'report';
process.env['SAMPLES'] ??= 'model';

serve(extensions()).catch((error: unknown) => {
  console.error(startFailure(error, process.env));
  process.exit(1);
});
