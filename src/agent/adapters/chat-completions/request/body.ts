/** A member of a request body: JSON, where undefined members are left out. */
export type Body = { readonly [key: string]: unknown };
