/** Turns a missing case of a union into a compile error. @throws Error if it is reached at run time */
export function assertUnreachable(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
