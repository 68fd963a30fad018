/** Deletions after which a table is replaced at the earliest. */
const LEAST_DELETIONS = 32;

/**
 * A map whose entries come and go as long as the process runs. After as many deletions as it has entries, and 32 at
 * least, its entries are moved to a new table.
 *
 * The table of a plain `Map` grows within the map: V8 links each table to its successor. Once the first one is old, a
 * collection of young objects takes all of them for reachable, with what was in them, until the next collection of
 * the whole heap (ADR 32).
 *
 * An iteration that has begun sees the entries of its beginning, or later changes.
 */
export class TurnoverMap<Key, Value> implements ReadonlyMap<Key, Value> {
  private table = new Map<Key, Value>();
  private deletions = 0;

  get size(): number {
    return this.table.size;
  }

  get(key: Key): Value | undefined {
    return this.table.get(key);
  }

  has(key: Key): boolean {
    return this.table.has(key);
  }

  set(key: Key, value: Value): this {
    this.table.set(key, value);
    return this;
  }

  /** Returns whether there was an entry. */
  delete(key: Key): boolean {
    if (!this.table.delete(key)) return false;
    this.deletions += 1;
    if (this.deletions >= LEAST_DELETIONS && this.deletions >= this.table.size) this.replaceTable();
    return true;
  }

  forEach(callback: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.table) callback(value, key, this);
  }

  entries(): MapIterator<[Key, Value]> {
    return this.table.entries();
  }

  keys(): MapIterator<Key> {
    return this.table.keys();
  }

  values(): MapIterator<Value> {
    return this.table.values();
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.table.entries();
  }

  private replaceTable(): void {
    this.table = new Map(this.table);
    this.deletions = 0;
  }
}

/** A set whose members come and go as long as the process runs; the same as `TurnoverMap` otherwise. */
export class TurnoverSet<Value> implements Iterable<Value> {
  private readonly members = new TurnoverMap<Value, undefined>();

  get size(): number {
    return this.members.size;
  }

  has(value: Value): boolean {
    return this.members.has(value);
  }

  add(value: Value): this {
    this.members.set(value, undefined);
    return this;
  }

  /** Returns whether it was a member. */
  delete(value: Value): boolean {
    return this.members.delete(value);
  }

  [Symbol.iterator](): MapIterator<Value> {
    return this.members.keys();
  }
}
