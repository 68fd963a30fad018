import { serve } from './boot/serve.js';
import { startFailure } from './boot/start-failure.js';

serve().catch((error: unknown) => {
  console.error(startFailure(error, process.env));
  process.exit(1);
});
