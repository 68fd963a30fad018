import { matchesGlob } from '../../common/index.js';

/** The scopes without a pattern (contract access, section 5.1). */
export const PLAIN_SCOPES = [
  'runs:write',
  'runs:read',
  'approvals:decide',
  'data:tenant',
  'usage:read',
  'audit:read',
  'webhooks:read',
  'webhooks:write',
  'schedules:read',
  'schedules:write',
  'docs:read',
  'ops:read',
  'admin:keys',
  'admin:budgets',
  'admin:data',
  'admin:tenants',
] as const;

/** The kinds of scopes that name what they reach with a pattern, such as `agents:support-*`. */
export const PATTERN_SCOPES = ['agents', 'tools', 'models', 'users'] as const;

/** A right that a route or an action asks for. */
export type Scope = (typeof PLAIN_SCOPES)[number];

/** What a pattern scope reaches. */
export type PatternScope = (typeof PATTERN_SCOPES)[number];

const PLAIN: ReadonlySet<string> = new Set(PLAIN_SCOPES);
const LONGEST_PATTERN = 256;
const PATTERN = new RegExp(`^(${PATTERN_SCOPES.join('|')}):([\\x21-\\x7e]{1,${LONGEST_PATTERN}})$`);

/** Whether a text is a scope that a key may have. */
export function isScope(text: string): boolean {
  return PLAIN.has(text) || PATTERN.test(text);
}

/** The rights of a caller: a set of scopes, which only add up. Texts that are no scopes grant nothing. */
export class Scopes {
  /** In the order they were given, each once, without unknown ones. */
  readonly list: readonly string[];
  private readonly plain: ReadonlySet<string>;

  constructor(scopes: Iterable<string>) {
    this.list = [...new Set(scopes)].filter(isScope);
    this.plain = new Set(this.list);
  }

  /** Whether the caller has a right. */
  has(scope: Scope): boolean {
    return this.plain.has(scope);
  }

  /** The patterns of one kind, such as `support-*` of `agents:support-*`. Empty without any. */
  patterns(kind: PatternScope): readonly string[] {
    return this.list.filter((scope) => scope.startsWith(`${kind}:`)).map((scope) => scope.slice(kind.length + 1));
  }

  /** Whether a pattern of the kind matches a name. `*` stands for any characters; everything else for itself. */
  matches(kind: PatternScope, name: string): boolean {
    return this.patterns(kind).some((pattern) => matchesGlob(pattern, name, { question: false }));
  }
}

/** Every right of a caller of a server without authentication: all but administration. */
export const UNAUTHENTICATED_SCOPES = new Scopes([
  ...PLAIN_SCOPES.filter((scope) => !scope.startsWith('admin:')),
  'agents:*',
  'tools:*',
  'models:*',
  'users:*',
]);
