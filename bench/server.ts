import { startParley } from './servers/parley.js';
import { startPlainSse } from './servers/plain-sse.js';
import { startRaw } from './servers/raw.js';

/** One server process; the variant is the first argument. */
async function start(variant: string | undefined): Promise<void> {
  if (variant === 'raw') startRaw();
  else if (variant === 'sse') await startPlainSse(false);
  else if (variant === 'naive') await startPlainSse(true);
  else if (variant === 'parley') await startParley(undefined);
  else if (variant === 'postgres') await startParley(process.env.BENCH_DATABASE_URL);
  else throw new Error(`There is no variant ${variant}`);
}

start(process.argv[2]).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
