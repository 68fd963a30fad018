/**
 * A function that remembers its values: `make` is called once for a key. At most `limit` values are kept; the
 * key that was added first is forgotten first. Errors are not kept.
 */
export function memoize<Key, Value>(limit: number, make: (key: Key) => Value): (key: Key) => Value {
  const values = new Map<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined || values.has(key)) return known as Value;
    const value = make(key);
    const [oldest] = values.size >= limit ? values.keys() : [];
    if (oldest !== undefined) values.delete(oldest);
    values.set(key, value);
    return value;
  };
}
