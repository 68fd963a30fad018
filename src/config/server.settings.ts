import { choice, httpUrls, integer, milliseconds, path } from './rules.js';
import { type Rule, setting, settings } from './setting.js';

/** Settings of the process as a whole, which belong to no single feature. */
export class ServerSettings extends settings('Server', {
  host: setting('HOST', hostName(), {
    default: '127.0.0.1',
    description: 'Address to listen on. An address other than loopback needs authentication (`AUTH`).',
  }),
  port: setting('PORT', integer({ min: 0, max: 65_535 }), {
    default: 8090,
    description: 'Port to listen on; 0 chooses a free port.',
  }),
  publicBases: setting('PUBLIC_BASE_URL', httpUrls(), {
    default: () => [],
    unset: 'the address the server listens on',
    description:
      'Base URLs under which clients reach the server, separated by commas. Signed URLs of attachments begin with the first; URLs with the others are accepted too. Their hosts are host names of the server, and their origins may use it from a browser.',
  }),
  dataDir: setting('DATA_DIR', path(), {
    default: './data',
    description: 'Folder of all files that the server keeps on this machine.',
  }),
  role: setting('ROLE', choice('all', 'web', 'worker'), {
    default: 'all',
    description:
      'What this process does: `web` accepts and streams runs and leaves their execution to others, `worker` executes runs and serves only health pages, `all` does both. `web` and `worker` need PostgreSQL (operations.md).',
  }),
  shutdownGraceMs: setting('SHUTDOWN_GRACE_MS', milliseconds({ min: 0, max: 600_000 }), {
    default: 10_000,
    description: 'How long a shutdown waits for work in progress.',
  }),
}) {}

/** Whether an address of `HOST` can only be reached from this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/** A name or address to listen on. */
export function hostName(): Rule<string> {
  return {
    expectation: 'a host name, an IPv4 address or an IPv6 address',
    parse: (text) => (text.length <= 253 && /^[A-Za-z0-9_.:-]+$/.test(text) ? text : undefined),
  };
}
