import { choice, setting, settings } from '../config/index.js';

/** What is logged, and in which format. */
export class LoggingSettings extends settings('Logging', {
  level: setting('LOG_LEVEL', choice('trace', 'debug', 'info', 'warn', 'error', 'silent'), {
    default: 'info',
    description: 'The lowest level that is logged.',
  }),
  format: setting('LOG_FORMAT', choice('json', 'text'), {
    default: 'json',
    description: '`json` writes one object per line, `text` one readable line.',
  }),
}) {}
