/** A user that a request names, and the field that does, such as `forwardedProps.user_id`. */
export interface NamedUser {
  readonly userId: string;
  readonly field: string;
}

/** The user that a field names; undefined if it names none. */
export function namedUser(field: string, userId: string | undefined): NamedUser | undefined {
  return userId === undefined ? undefined : { field, userId };
}
