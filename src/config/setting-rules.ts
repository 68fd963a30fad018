import { parseDuration } from '../common/index.js';

/** How the text of an environment variable becomes a value, and which values are accepted. */
export interface Rule {
  /** What the value must be, as the end of the sentence "NAME must be …". */
  readonly expectation: string;
  /** The typed value, or the text itself when it does not read as the type. */
  parse(text: string): string | number | boolean;
  accepts(value: unknown): boolean;
  /** How a rejected value may be described: in full, or (it may hold a password) by its scheme only. */
  readonly disclosure: 'value' | 'scheme';
}

const asText = (text: string): string => text;
const isText = (value: unknown): value is string => typeof value === 'string';

/** A whole number in decimal digits. */
export function integer(min: number, max: number): Rule {
  return {
    expectation: `a whole number from ${min} to ${max}`,
    parse: (text) => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : text),
    accepts: (value) => typeof value === 'number' && value >= min && value <= max,
    disclosure: 'value',
  };
}

/** A length of time with its unit, at least and at most so many milliseconds. */
export function duration(minMs: number, maxMs: number): Rule {
  return {
    expectation: `a number with its unit ms, s, m, h or d, such as 90s or 24h, from ${minMs} to ${maxMs} ms`,
    parse: asText,
    accepts: (value) => {
      const ms = isText(value) ? parseDuration(value) : undefined;
      return ms !== undefined && ms >= minMs && ms <= maxMs;
    },
    disclosure: 'value',
  };
}

/** `true` or `false`. */
export function flag(): Rule {
  return {
    expectation: 'true or false',
    parse: (text) => (/^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : text),
    accepts: (value) => typeof value === 'boolean',
    disclosure: 'value',
  };
}

/** One of a few words. */
export function choice(...words: readonly string[]): Rule {
  return {
    expectation: `one of ${words.join(', ')}`,
    parse: asText,
    accepts: (value) => isText(value) && words.includes(value),
    disclosure: 'value',
  };
}

/** Any text up to a length. */
export function text(maxLength: number): Rule {
  return {
    expectation: `a text of 1 to ${maxLength} characters`,
    parse: asText,
    accepts: (value) => isText(value) && value.length >= 1 && value.length <= maxLength,
    disclosure: 'value',
  };
}

/** A key or name that travels in a header: printable ASCII without spaces. */
export function token(maxLength: number): Rule {
  return {
    expectation: `a text of 1 to ${maxLength} printable ASCII characters without spaces`,
    parse: asText,
    accepts: (value) => isText(value) && value.length <= maxLength && /^[\x21-\x7e]+$/.test(value),
    disclosure: 'value',
  };
}

/** A host name or an address to listen on. */
export function host(): Rule {
  return {
    expectation: 'a host name, an IPv4 address or an IPv6 address',
    parse: asText,
    accepts: (value) => isText(value) && value.length <= 253 && /^[A-Za-z0-9_.:-]+$/.test(value),
    disclosure: 'value',
  };
}

/** `*`, or origins (`scheme://host[:port]`) separated by commas. */
export function origins(): Rule {
  return {
    expectation: '* or a comma-separated list of origins such as https://chat.example.org',
    parse: asText,
    accepts: (value) => isText(value) && splitList(value).every((item) => item === '*' || isOrigin(item)),
    disclosure: 'value',
  };
}

/** An http(s) address without user name, password, query or fragment. */
export function httpUrl(): Rule {
  return {
    expectation: 'an http:// or https:// address without user name, password, query or fragment',
    parse: asText,
    accepts: (value) => {
      const url = isText(value) ? parseUrl(value) : undefined;
      return (
        url !== undefined &&
        /^https?:$/.test(url.protocol) &&
        !url.username &&
        !url.password &&
        !url.search &&
        !url.hash
      );
    },
    disclosure: 'scheme',
  };
}

/** http(s) addresses separated by commas. */
export function httpUrls(): Rule {
  const one = httpUrl();
  return {
    expectation:
      'a comma-separated list of http:// or https:// addresses without user name, password, query or fragment',
    parse: asText,
    accepts: (value) =>
      isText(value) && splitList(value).length > 0 && splitList(value).every((item) => one.accepts(item)),
    disclosure: 'scheme',
  };
}

/** `kid:secret` separated by commas; secrets of at least 16 characters, no kid twice. */
export function signingKeys(): Rule {
  return {
    expectation: 'a comma-separated list of kid:secret, each secret of at least 16 characters and no kid twice',
    parse: asText,
    accepts: (value) => {
      const items = isText(value) ? splitList(value) : [];
      const kids = items.map((item) => /^([\w.-]{1,64}):[\x21-\x7e]{16,512}$/.exec(item)?.[1]);
      return items.length > 0 && !kids.includes(undefined) && new Set(kids).size === kids.length;
    },
    disclosure: 'value',
  };
}

/** `name=word` separated by commas, no name twice; `*` names all others. */
export function assignments(...words: readonly string[]): Rule {
  return {
    expectation: `a comma-separated list of name=value, no name twice, each value one of ${words.join(', ')}`,
    parse: asText,
    accepts: (value) => {
      const items = isText(value) ? splitAssignments(value) : [];
      const names = items.map(([name]) => name);
      const known = items.every(([name, word]) => name !== '' && word !== undefined && words.includes(word));
      return items.length > 0 && known && new Set(names).size === names.length;
    },
    disclosure: 'value',
  };
}

/** The pairs of a list that `assignments` accepts. */
export function splitAssignments(list: string): [name: string, value: string | undefined][] {
  return splitList(list).map((item) => {
    const [name = '', ...rest] = item.split('=');
    return [name.trim(), rest.length === 1 ? rest[0]?.trim() : undefined];
  });
}

/** `sqlite:<file>`, or the URL of a PostgreSQL database. */
export function databaseUrl(): Rule {
  return {
    expectation: 'sqlite:<file>, or postgres://user:password@host:port/database',
    parse: asText,
    accepts: (value) => {
      if (!isText(value)) return false;
      if (value.startsWith('sqlite:')) return value.replace(/^sqlite:(\/\/)?/, '') !== '';
      const url = parseUrl(value);
      return url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
    },
    disclosure: 'scheme',
  };
}

/** The items of a comma-separated list, trimmed, without empty ones. */
export function splitList(list: string): string[] {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function isOrigin(item: string): boolean {
  const url = parseUrl(item);
  return url !== undefined && /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]+$/i.test(item);
}

function parseUrl(candidate: string): URL | undefined {
  return URL.canParse(candidate) ? new URL(candidate) : undefined;
}
