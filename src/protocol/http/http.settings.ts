import { bytes, HOUR_MS, integer, MIB, milliseconds, setting, settings } from '../../config/index.js';
import { DEFAULT_MAX_VALUES } from './bodies/json-limits.js';

/** Limits of requests and the times of open streams, for all protocols. */
export class HttpSettings extends settings('HTTP', {
  bodyLimitBytes: setting('BODY_LIMIT_BYTES', bytes({ min: 1024, max: 256 * MIB }), {
    default: 8 * MIB,
    description: 'Largest request body, including the images in it.',
  }),
  jsonDepthLimit: setting('JSON_DEPTH_LIMIT', integer({ min: 8, max: 1000 }), {
    default: 64,
    description: 'Deepest nesting of objects and arrays in a request body.',
  }),
  jsonValuesLimit: setting('JSON_VALUES_LIMIT', integer({ min: 100, max: 10_000_000 }), {
    default: DEFAULT_MAX_VALUES,
    description:
      'Members and items of all objects and arrays in a request body together. Many small ones cost far more time than their bytes, at the expense of all other requests.',
  }),
  keepAliveMs: setting('KEEP_ALIVE_MS', milliseconds({ min: 100, max: 600_000 }), {
    default: 15_000,
    description: 'How long an open stream may be silent before a comment line is sent.',
  }),
  slowReaderTimeoutMs: setting('SLOW_READER_TIMEOUT_MS', milliseconds({ min: 100, max: HOUR_MS }), {
    default: 60_000,
    description:
      'A client that reads nothing from its stream or download for this long is disconnected. Its run continues.',
  }),
  resumeCacheBytes: setting('RESUME_CACHE_BYTES', bytes({ min: 0, max: 4096 * MIB }), {
    default: 64 * MIB,
    description:
      'Memory for streams that were cut, so that a client that returns within 30 seconds does not cost another reading of the whole run. 0 keeps none.',
  }),
}) {}
