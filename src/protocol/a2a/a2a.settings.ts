import { isPlainObject, type JsonObject } from '../../common/index.js';
import {
  choice,
  DAY_MS,
  flag,
  milliseconds,
  namePatterns,
  type Rule,
  setting,
  settings,
  splitList,
} from '../../config/index.js';
import { type Version, VERSIONS } from './a2a.types.js';
import { type CardKey, cardKeys } from './card/card-keys.js';

/** Settings of the A2A wire (contract a2a, section 17). */
export class A2aSettings extends settings('A2A', {
  versions: setting('A2A_VERSIONS', versions(), {
    default: '1.0,0.3',
    description: 'Versions of the protocol that are served, separated by commas. The agent card names them.',
  }),
  card: setting('A2A_CARD', jsonObject(), {
    unset: 'nothing is added',
    description:
      'JSON object that is laid over every agent card, for example `{"provider": {"organization": "Example", "url": "https://example.org"}}`.',
  }),
  cardSigningKeys: setting('A2A_CARD_SIGNING_KEY', cardKeys(), {
    unset: 'cards are not signed',
    secret: true,
    description:
      'Private JWK of the curve P-256, or a JSON list of such keys, each with a `kid`. The first signs agent cards, all are published at `/a2a/jwks.json`.',
  }),
  publicCards: setting('A2A_PUBLIC_CARDS', namePatterns(), {
    unset: '`*` if AUTH is none, otherwise none',
    description:
      'Agents other than the default one whose cards everybody may read: names separated by commas, `*` for any characters. The others need a caller who may run the agent.',
  }),
  approvals: setting('A2A_APPROVALS', choice('in-band', 'out-of-band'), {
    default: 'in-band',
    description:
      'Whether clients of this wire may decide approvals, with the scope `approvals:decide`; with `out-of-band` people decide elsewhere, and a task that waits for them is `AUTH_REQUIRED`.',
  }),
  textDecisions: setting('A2A_TEXT_DECISIONS', flag(), {
    default: true,
    description:
      'Whether a message that is nothing but a word such as `approve` or `deny` decides the one open approval.',
  }),
  dedupe: setting('A2A_DEDUPE', choice('context', 'off'), {
    default: 'context',
    description:
      'Whether an equal message with the same id in the same context is a repetition, which is answered with the task that it made.',
  }),
  keepAliveMs: setting('A2A_KEEP_ALIVE_MS', milliseconds({ min: 10, max: 60_000 }), {
    default: 4000,
    description:
      'Time without a frame after which a stream, or an answer that is waited for, gets a sign of life. The stock client of Python gives up after 5 s.',
  }),
  blockingMs: setting('A2A_BLOCKING_MS', milliseconds({ min: 100, max: DAY_MS }), {
    default: 300_000,
    description: 'How long sending a message waits for the end of its task, which then is answered as it stands.',
  }),
  streamMs: setting('A2A_STREAM_MS', milliseconds({ min: 100, max: DAY_MS }), {
    default: 1_800_000,
    description: 'How long a stream lasts at most. Its client subscribes to the task again.',
  }),
}) {
  /** The keys of cards, the signing one first. */
  get keys(): readonly CardKey[] {
    return this.cardSigningKeys ?? [];
  }

  /** True if the version is served. */
  serves(version: Version): boolean {
    return this.versions.includes(version);
  }
}

function versions(): Rule<readonly Version[]> {
  return {
    expectation: `a comma-separated list of ${VERSIONS.join(', ')}`,
    parse: (list) => {
      const items = splitList(list);
      const known = VERSIONS.filter((version) => items.includes(version));
      return items.length > 0 && known.length === new Set(items).size ? known : undefined;
    },
  };
}

function jsonObject(): Rule<JsonObject> {
  return {
    expectation: 'a JSON object',
    parse: (json) => {
      try {
        const value: unknown = JSON.parse(json);
        return isPlainObject(value) ? (value as JsonObject) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
