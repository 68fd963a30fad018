import { readConfiguration } from '../../src/app.settings.js';
import type { Configuration } from '../../src/config/index.js';

/** The server's configuration from these variables alone, with a silent log unless they say otherwise. */
export function testConfiguration(env: NodeJS.ProcessEnv = {}): Configuration {
  return readConfiguration({ LOG_LEVEL: 'silent', ...env });
}
