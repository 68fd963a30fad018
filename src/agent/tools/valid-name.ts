import { createHash } from 'node:crypto';

/** The longest name of a tool that all model servers take. */
export const TOOL_NAME_LIMIT = 64;

/** The names of tools that model servers take (contract model-servers, section 1.3). */
export const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const HASH_LENGTH = 8;

/**
 * Names that model servers take, for any names: valid ones stay, other characters become `_`, long ones are cut. What
 * would not be unique then gets a hash of the name. The result depends on the set of names only, not on their order.
 *
 * @param isValid a rule of the model server besides `TOOL_NAME`; what breaks it gets a `_` in front
 * @param identity the part of a name that its hash is made of
 */
export function validNames(
  names: Iterable<string>,
  isValid: (name: string) => boolean = () => true,
  identity: (name: string) => string = (name) => name,
): ReadonlyMap<string, string> {
  const all = new Set(names);
  const isTaken = (name: string): boolean => TOOL_NAME.test(name) && isValid(name);
  const odd = [...all].filter((name) => !isTaken(name));
  if (odd.length === 0) return new Map([...all].map((name) => [name, name]));
  const wanted = new Map(odd.map((name) => [name, plainName(name, isValid)]));
  const claims = new Map<string, number>();
  for (const plain of wanted.values()) claims.set(plain, (claims.get(plain) ?? 0) + 1);
  const isFree = (plain: string): boolean => plain !== '' && !all.has(plain) && claims.get(plain) === 1;
  return new Map(
    [...all].map((name) => {
      const plain = wanted.get(name);
      if (plain === undefined) return [name, name];
      return [name, name.length <= TOOL_NAME_LIMIT && isFree(plain) ? plain : hashed(identity(name), plain)];
    }),
  );
}

/** Without a hash; empty if nothing of the name is left. */
function plainName(name: string, isValid: (name: string) => boolean): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_');
  if (!/[A-Za-z0-9]/.test(plain)) return '';
  return (isValid(plain) ? plain : `_${plain}`).slice(0, TOOL_NAME_LIMIT);
}

function hashed(identity: string, plain: string): string {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_LENGTH);
  return `${(plain || 'tool').slice(0, TOOL_NAME_LIMIT - HASH_LENGTH - 1)}_${hash}`;
}
