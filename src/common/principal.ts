/**
 * The identity of a caller. Every lookup is limited to it. Without authentication, the tenant is
 * `DEFAULT_TENANT` and the user id comes from the request.
 */
export interface Principal {
  readonly tenantId: string;
  readonly userId: string;
}

/** The tenant of a server without configured authentication. */
export const DEFAULT_TENANT = 'default';
