import { existsSync } from 'node:fs';
import { serve, startFailure } from 'parley-server';
import { extensions } from './extensions.js';

if (existsSync('.env')) process.loadEnvFile('.env');
process.env['DEFAULT_AGENT'] ??= 'refunds';
process.env['SAMPLES'] ??= 'model';
process.env['TOOL_POLICY_FILE'] ??= 'policy.json';

serve(extensions).catch((error: unknown) => {
  console.error(startFailure(error, process.env));
  process.exit(1);
});
