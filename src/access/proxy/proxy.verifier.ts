import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Networks, DEFAULT_TENANT } from '../../common/index.js';
import { splitList } from '../../config/index.js';
import { invalidCredential } from '../access-errors.js';
import { SERVICE_USER_PREFIX } from '../identity/caller.js';
import { CredentialVerifier, type Identity, type PresentedCredential } from '../identity/identity.js';
import type { Roles } from '../identity/roles.js';
import { inActiveTenant, type TenantDirectory } from '../tenants/tenant-directory.js';
import { isUserId, textOfBytes } from '../identity/user-id.js';
import type { ProxySettings } from './proxy.settings.js';

const SECRET_HEADER = 'x-proxy-secret';
const LONGEST_TENANT = 64;
const MAX_ROLES = 500;
/** What every user may do where the proxy sends no roles. */
const ROLES_WITHOUT_HEADER = ['user'];

/** Takes over the user that a trusted proxy names in its headers (contract access, section 3.3). */
export class ProxyVerifier extends CredentialVerifier {
  readonly method = 'proxy';
  private readonly peers: Networks | undefined;
  private readonly secret: Buffer | undefined;

  constructor(
    private readonly settings: ProxySettings,
    private readonly roles: Roles,
    private readonly tenants: TenantDirectory,
  ) {
    super();
    this.peers = settings.peers;
    this.secret = settings.secret === undefined ? undefined : digestOf(settings.secret);
  }

  /** The headers count if the other end of the connection is the proxy, and the request has no credential of its own. */
  verify({ token, request }: PresentedCredential): Identity | undefined | Promise<Identity | undefined> {
    if (token !== undefined || !this.peers?.includes(request.socket.remoteAddress ?? '')) return undefined;
    const { userHeader, tenantHeader, rolesHeader, tenant = DEFAULT_TENANT } = this.settings;
    const userId = valueOf(request, userHeader);
    if (userId === undefined) return undefined;
    this.checkSecret(request);
    if (!isUserId(userId) || userId.startsWith(SERVICE_USER_PREFIX)) throw invalidCredential();
    const names = rolesHeader === undefined ? ROLES_WITHOUT_HEADER : splitList(valueOf(request, rolesHeader) ?? '');
    const roles = this.roles.known(names.slice(0, MAX_ROLES));
    return inActiveTenant(this.tenants, {
      tenantId: tenantHeader === undefined ? tenant : tenantOf(request, tenantHeader),
      actor: { kind: 'proxy', id: userId },
      userId,
      scopes: this.roles.scopesOf(roles),
      roles,
      expiresAt: undefined,
    });
  }

  isCurrent({ tenantId }: Identity): boolean | Promise<boolean> {
    return this.tenants.isActive(tenantId);
  }

  private checkSecret(request: IncomingMessage): void {
    if (!this.secret) return;
    const given = valueOf(request, SECRET_HEADER);
    if (given === undefined || !timingSafeEqual(digestOf(given), this.secret)) throw invalidCredential();
  }
}

function tenantOf(request: IncomingMessage, header: string): string {
  const tenantId = valueOf(request, header);
  if (tenantId === undefined || tenantId.length > LONGEST_TENANT || !isUserId(tenantId)) throw invalidCredential();
  return tenantId;
}

/** The value of a header; undefined when it is absent. @throws AppError AUTH_FAILED when it is empty or repeated */
function valueOf({ headersDistinct }: IncomingMessage, header: string): string | undefined {
  const [value, ...others] = headersDistinct[header.toLowerCase()] ?? [];
  if (value === undefined) return undefined;
  if (others.length > 0 || value.trim() === '') throw invalidCredential();
  return textOfBytes(value.trim());
}

/** Digests have one length, so that comparing them tells nothing about the secret. */
function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
