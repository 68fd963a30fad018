import { serve } from './boot/serve.js';
import { StartupError } from './common/index.js';
import { ConfigurationError } from './config/index.js';

/** One clear sentence; the stack only for somebody who debugs. */
function report(error: unknown): void {
  const isExplained = error instanceof ConfigurationError || error instanceof StartupError;
  const message = error instanceof Error ? error.message : String(error);
  console.error(isExplained ? message : `Parley cannot start: ${message}`);
  if (!isExplained && /^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '')) console.error(error);
}

serve().catch((error: unknown) => {
  report(error);
  process.exit(1);
});
