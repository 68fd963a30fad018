/**
 * The owner of a session, a run or an upload. What a request may look up is its `Reach`. Without authentication, the tenant is
 * `DEFAULT_TENANT` and the user id comes from the request.
 */
export interface Principal {
  readonly tenantId: string;
  readonly userId: string;
}

/** The tenant of a server without configured authentication. */
export const DEFAULT_TENANT = 'default';
