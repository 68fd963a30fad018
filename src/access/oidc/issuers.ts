import { z } from 'zod';
import { isLoopback, parseUrl } from '../../config/index.js';
import { SERVICE_USER_PREFIX } from '../identity/caller.js';
import type { Roles } from '../identity/roles.js';

/** The signatures that an issuer may use. Those with a shared secret, and `none`, are never accepted. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const;

const word = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}]+$/u, 'must have no control characters');
const list = <T extends z.ZodType>(item: T) => z.array(item).min(1).max(100);
const byName = <T extends z.ZodType>(item: T) => z.record(word(256), item);
const tenantId = word(64);
const claim = word(256);

/** One entry of `OIDC_ISSUERS` (contract access, section 3.2). */
const issuerSchema = z.strictObject({
  alias: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'must be lower-case letters, digits, - and _'),
  issuer: word(2048).refine(isSecureUrl, 'must be an https:// address without query (http:// on loopback only)'),
  audience: z.union([word(1024).transform((one) => [one]), list(word(1024))]),
  algorithms: list(z.enum(ALGORITHMS)).default(['RS256', 'ES256']),
  tenant: z.union([z.strictObject({ fixed: tenantId }), z.strictObject({ claim, map: byName(tenantId).optional() })]),
  user: z.strictObject({ claim }).default({ claim: 'sub' }),
  roles: z.strictObject({ claim, map: byName(z.union([word(64), list(word(64))])).optional() }).optional(),
  scopes: z.strictObject({ claim }).default({ claim: 'scope' }),
  clients: list(word(1024)).optional(),
  types: list(word(256)).optional(),
  userPrefix: z
    .string()
    .max(64)
    .regex(/^[^\p{Cc}]*$/u, 'must have no control characters')
    .refine((prefix) => !prefix.startsWith(SERVICE_USER_PREFIX), `must not begin with ${SERVICE_USER_PREFIX}`)
    .default(''),
  skewS: z.int().min(0).max(300).default(60),
  console: z
    .strictObject({
      clientId: word(1024),
      scopes: list(word(256)).default(['openid', 'profile']),
      prompt: word(256).optional(),
    })
    .optional(),
});

/** An OpenID provider whose access tokens are accepted, and how their claims are read. */
export type OidcIssuer = z.output<typeof issuerSchema>;

/** Issuers, or what is wrong with them: sentences that begin after the name of the setting. */
export interface IssuersReading {
  readonly issuers: readonly OidcIssuer[];
  readonly problems: readonly string[];
}

/** Reads a list of issuers. @param roles those to which claims may be mapped */
export function parseIssuers(value: unknown, roles: Pick<Roles, 'has'>): IssuersReading {
  const { data, error } = z.array(issuerSchema).min(1).max(100).safeParse(value);
  if (data === undefined) return { issuers: [], problems: error?.issues.flatMap((issue) => lines(issue)) ?? [] };
  const problems = [...repeated(data, 'alias'), ...repeated(data, 'issuer'), ...unknownRoles(data, roles)];
  problems.push(...collisions(data));
  return { issuers: problems.length > 0 ? [] : data, problems };
}

/** Whether an address may be asked for keys: nobody on the way can change the answer. */
export function isSecureUrl(text: string): boolean {
  const url = parseUrl(text);
  if (!url || url.username || url.password || url.search || url.hash) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackUrl(url));
}

/** Whether an address is on this machine. */
export function isLoopbackUrl({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function lines(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return [`is not valid at ${at === '' ? 'the top' : at.replace(/^\./, '')}: ${issue.message}`];
}

function repeated(issuers: readonly OidcIssuer[], key: 'alias' | 'issuer'): string[] {
  const values = issuers.map((one) => one[key]);
  const twice = new Set(values.filter((value, index) => values.indexOf(value) !== index));
  return [...twice].map((value) => `has the ${key} ${JSON.stringify(value)} more than once`);
}

function unknownRoles(issuers: readonly OidcIssuer[], roles: Pick<Roles, 'has'>): string[] {
  return issuers.flatMap(({ alias, roles: mapping }) =>
    Object.values(mapping?.map ?? {})
      .flat()
      .filter((role) => !roles.has(role))
      .map((role) => `maps to the role ${JSON.stringify(role)} in ${alias}, which does not exist`),
  );
}

/**
 * Two issuers of one tenant, whose users could have the same id. A prefix that begins with another does not keep
 * them apart: the other issuer could have a user whose id continues it.
 */
function collisions(issuers: readonly OidcIssuer[]): string[] {
  return issuers.flatMap((one, index) =>
    issuers
      .slice(index + 1)
      .filter((other) => shareTenant(one, other))
      .filter((other) => one.userPrefix.startsWith(other.userPrefix) || other.userPrefix.startsWith(one.userPrefix))
      .map(
        (other) =>
          `needs a userPrefix for ${one.alias} and for ${other.alias}, neither of which begins with the other, because both may have users of the same tenant`,
      ),
  );
}

function shareTenant(one: OidcIssuer, other: OidcIssuer): boolean {
  const [left, right] = [tenantsOf(one), tenantsOf(other)];
  return !left || !right || left.some((tenant) => right.includes(tenant));
}

/** The tenants that an issuer's users may have; undefined for any. */
function tenantsOf({ tenant }: OidcIssuer): readonly string[] | undefined {
  if ('fixed' in tenant) return [tenant.fixed];
  return tenant.map && Object.values(tenant.map);
}
