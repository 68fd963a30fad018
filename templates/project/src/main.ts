import { existsSync } from 'node:fs';
import { serve, startFailure } from 'parley-server';
import { extensions } from './extensions.js';

if (existsSync('.env')) process.loadEnvFile('.env');
// Requests that name no agent get this one, unless the environment says otherwise.
process.env['DEFAULT_AGENT'] ??= 'orders';
// Of the samples of Parley, only the offline demo model: it answers if no model is configured.
process.env['SAMPLES'] ??= 'model';

serve(extensions).catch((error: unknown) => {
  console.error(startFailure(error, process.env));
  process.exit(1);
});
