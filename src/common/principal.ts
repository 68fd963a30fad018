/**
 * Who is asking. It passes through every layer from the first day; until authentication is
 * configured the tenant is `DEFAULT_TENANT` and the user id is the one the request names.
 */
export interface Principal {
  readonly tenantId: string;
  readonly userId: string;
}

/** The tenant of a server without configured authentication. */
export const DEFAULT_TENANT = 'default';
