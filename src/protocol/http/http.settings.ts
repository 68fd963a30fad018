import {
  bytes,
  HOUR_MS,
  integer,
  isLoopback,
  MIB,
  milliseconds,
  parseUrl,
  type Rule,
  ServerSettings,
  setting,
  settings,
  splitList,
} from '../../config/index.js';

/** Limits of requests, access from browsers, and the times of open streams, for all protocols. */
export class HttpSettings extends settings('HTTP', {
  bodyLimitBytes: setting('BODY_LIMIT_BYTES', bytes({ min: 1024, max: 256 * MIB }), {
    default: 8 * MIB,
    description: 'Largest request body, including the images in it.',
  }),
  jsonDepthLimit: setting('JSON_DEPTH_LIMIT', integer({ min: 8, max: 1000 }), {
    default: 64,
    description: 'Deepest nesting of objects and arrays in a request body.',
  }),
  corsOrigins: setting('CORS_ORIGINS', origins(), {
    default: (source) => (isLoopback(source.slice(ServerSettings).host) ? ['*'] : []),
    unset: '`*` if HOST is loopback, otherwise none',
    description:
      'Origins whose pages may call the server from a browser, separated by commas. Credentials are never allowed.',
  }),
  keepAliveMs: setting('KEEP_ALIVE_MS', milliseconds({ min: 100, max: 600_000 }), {
    default: 15_000,
    description: 'How long an open stream may be silent before a comment line is sent.',
  }),
  slowReaderTimeoutMs: setting('SLOW_READER_TIMEOUT_MS', milliseconds({ min: 100, max: HOUR_MS }), {
    default: 60_000,
    description: 'A client that reads nothing from its stream for this long is disconnected. Its run continues.',
  }),
}) {}

/** `*`, or origins (`scheme://host[:port]`) separated by commas. */
function origins(): Rule<readonly string[]> {
  return {
    expectation: '* or a comma-separated list of origins such as https://chat.example.org',
    parse: (text) => {
      const items = splitList(text);
      return items.every((item) => item === '*' || isOrigin(item)) ? items : undefined;
    },
  };
}

/** An origin has no path, query or user: browsers send it like that. */
function isOrigin(item: string): boolean {
  return parseUrl(item) !== undefined && /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]+$/i.test(item);
}
