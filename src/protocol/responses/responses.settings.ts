import { DAY_MS, flag, HOUR_MS, keyList, milliseconds, setting, settings } from '../../config/index.js';
import { HttpSettings } from '../http/index.js';

/** Settings of OpenAI Responses. */
export class ResponsesSettings extends settings('OpenAI Responses', {
  legacyMirror: setting('RESPONSES_LEGACY_MIRROR', flag(), {
    default: true,
    description: 'Whether a JSON response on `/compatible-mode/v1` repeats itself under the key `response`.',
  }),
  socketLifetimeMs: setting('RESPONSES_SOCKET_LIFETIME_MS', milliseconds({ min: 1000, max: DAY_MS }), {
    default: HOUR_MS,
    description: 'How long a WebSocket connection may stay open.',
  }),
  sealingKeys: setting('RESPONSES_SEALING_KEYS', keyList(), {
    unset: 'one key, generated when it is first needed and kept in DATA_DIR',
    secret: true,
    description:
      'Keys for `encrypted_content` as `kid:secret`, separated by commas. The first encrypts, all decrypt: to replace a key, put the new one first, and remove the old one when no client holds content encrypted with it. All servers on one PostgreSQL database need the same keys: a server with others does not start.',
  }),
}) {
  /** The limits of all HTTP requests, which hold for a WebSocket and its messages too. */
  readonly http = this.source.slice(HttpSettings);
}
