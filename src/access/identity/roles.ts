import { isPlainObject } from '../../common/index.js';
import { type JsonReading, readJsonFile } from '../../config/index.js';
import { isScope } from './scopes.js';

/** The names that a role may have. */
const ROLE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MAX_ROLES = 1000;
const MAX_SCOPES = 200;

/** The roles of a server without `ROLES_FILE` (contract access, section 5.2). */
const DEFAULT_ROLES: Readonly<Record<string, readonly string[]>> = {
  user: ['runs:write', 'runs:read', 'approvals:decide'],
  service: ['runs:write', 'runs:read'],
  approver: ['approvals:decide', 'runs:read', 'data:tenant'],
  auditor: ['audit:read', 'usage:read'],
  admin: [
    ...['admin:keys', 'admin:budgets', 'admin:data', 'usage:read', 'audit:read', 'data:tenant', 'docs:read'],
    ...['webhooks:read', 'webhooks:write', 'schedules:read', 'schedules:write'],
  ],
  operator: ['admin:tenants', 'ops:read'],
};

/** The roles of the server: names for several scopes, which tokens and proxies give to users. */
export class Roles {
  private readonly scopes: ReadonlyMap<string, readonly string[]>;

  constructor(roles: Readonly<Record<string, readonly string[]>> = DEFAULT_ROLES) {
    this.scopes = new Map(Object.entries(roles));
  }

  has(role: string): boolean {
    return this.scopes.has(role);
  }

  /** The given names that are roles, each once. */
  known(names: Iterable<string>): readonly string[] {
    return [...new Set(names)].filter((name) => this.scopes.has(name));
  }

  /** The scopes of all given roles together. */
  scopesOf(names: readonly string[]): readonly string[] {
    return names.flatMap((name) => this.scopes.get(name) ?? []);
  }
}

/** The roles of a file, or what is wrong with it: sentences that begin after the name of the setting. */
export interface RolesReading {
  readonly roles: Roles;
  readonly problems: readonly string[];
}

/** The roles of `ROLES_FILE`, which replace the default ones; the default ones if there is no file. */
export function readRoles(file: string | undefined): RolesReading {
  if (file === undefined) return { roles: new Roles(), problems: [] };
  const { roles, problems } = parseRoles(readJsonFile(file));
  return { roles: new Roles(problems.length === 0 ? roles : {}), problems };
}

function parseRoles(reading: JsonReading): { roles: Record<string, readonly string[]>; problems: string[] } {
  if ('problem' in reading) return { roles: {}, problems: [reading.problem] };
  const { value } = reading;
  if (!isPlainObject(value)) return { roles: {}, problems: ['must name a file with a JSON object of roles'] };
  const entries = Object.entries(value);
  const problems = entries.flatMap(([name, scopes]) => problemsOf(name, scopes));
  if (entries.length > MAX_ROLES) problems.push(`names a file with more than ${MAX_ROLES} roles`);
  return { roles: value as Record<string, readonly string[]>, problems };
}

function problemsOf(name: string, scopes: unknown): string[] {
  const shown = JSON.stringify(name.slice(0, 64));
  if (!ROLE_NAME.test(name)) return [`has a role with an invalid name: ${shown}`];
  if (!Array.isArray(scopes) || scopes.length > MAX_SCOPES) {
    return [`must have a list of at most ${MAX_SCOPES} scopes for the role ${shown}`];
  }
  const unknown = scopes.filter((scope) => typeof scope !== 'string' || !isScope(scope));
  return unknown.map((scope) => `has an unknown scope in the role ${shown}: ${JSON.stringify(scope).slice(0, 80)}`);
}
