/**
 * A value that belongs to an object which others made, such as a request of Fastify: kept in the object itself, under
 * a symbol.
 *
 * A `WeakMap` would do the same. But if the value refers to the object, collections of young objects find both
 * reachable until the next collection of the whole heap (ADR 32).
 */
export class HiddenProperty<Owner extends object, Value> {
  private readonly key: symbol;

  /** @param name what a debugger shows */
  constructor(name: string) {
    this.key = Symbol(name);
  }

  /** Undefined if the object has none. */
  get(owner: Owner): Value | undefined {
    return (owner as Record<symbol, Value | undefined>)[this.key];
  }

  /** Replaces an earlier value. The object must be extensible. */
  set(owner: Owner, value: Value): void {
    (owner as Record<symbol, Value | undefined>)[this.key] = value;
  }
}
