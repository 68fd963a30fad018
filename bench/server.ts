/** One server process; the variant is the first argument. Only its own code is loaded. */
async function start(variant: string | undefined): Promise<void> {
  const { BENCH_MODEL_URL = '', BENCH_DATABASE_URL } = process.env;
  switch (variant) {
    case 'raw':
      return (await import('./servers/raw.js')).startRaw();
    case 'sse':
    case 'naive':
      return (await import('./servers/plain-sse.js')).startPlainSse(variant === 'naive');
    case 'scripted':
      return (await import('./servers/scripted-parley.js')).startScriptedParley(undefined);
    case 'postgres':
      return (await import('./servers/scripted-parley.js')).startScriptedParley(BENCH_DATABASE_URL);
    case 'model':
      return (await import('./servers/model.js')).startModel();
    case 'relay':
      return (await import('./servers/relay.js')).startRelay(BENCH_MODEL_URL);
    case 'parley':
      return (await import('./servers/parley.js')).startParley(BENCH_MODEL_URL, process.env.BENCH_SERVER_DATABASE_URL);
    default:
      throw new Error(`There is no variant ${variant}`);
  }
}

start(process.argv[2]).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
