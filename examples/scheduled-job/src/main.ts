import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { serve, startFailure } from 'parley-server';
import { daily } from './daily.js';
import { extensions } from './extensions.js';
import { writeReport } from './report.job.js';

if (existsSync('.env')) process.loadEnvFile('.env');
process.env['DEFAULT_AGENT'] ??= 'report';
process.env['SAMPLES'] ??= 'model';

serve(extensions)
  .then(() => {
    const { PORT = '8090', DATA_DIR = '.', REPORT_TIME = '06:00', REPORT_KEY: key } = process.env;
    const job = { url: `http://127.0.0.1:${PORT}`, folder: join(DATA_DIR, 'reports'), key };
    daily(REPORT_TIME, async (day) => console.log(`Report: ${await writeReport(job, day)}`));
  })
  .catch((error: unknown) => {
    console.error(startFailure(error, process.env));
    process.exit(1);
  });
