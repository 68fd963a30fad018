/** Makes a missing case of a union a compile error, and says so should it happen at run time. */
export function assertUnreachable(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
