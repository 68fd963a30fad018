import type { Interrupt, Run, Schema } from '../api/types.js';

/** One entry of a conversation as the page shows it. `run` is the run that wrote it, if one did. */
export type Entry = { readonly id: string; readonly run?: string | undefined } & (
  | { readonly kind: 'user'; readonly text: string; readonly images: readonly string[] }
  | { readonly kind: 'text'; readonly text: string; readonly done: boolean }
  | { readonly kind: 'reasoning'; readonly text: string; readonly done: boolean }
  | Call
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'card'; readonly card: Schema }
  | { readonly kind: 'decision'; readonly interrupt: Interrupt }
  | { readonly kind: 'end'; readonly of: Run }
  | { readonly kind: 'notice'; readonly tone: 'info' | 'warning' | 'error'; readonly text: string }
);

/** A call of a tool. */
export interface Call {
  readonly kind: 'call';
  readonly name: string;
  /** JSON text, as far as it has come. */
  readonly args: string;
  /** The id of the call, where the entry has another one. */
  readonly callId?: string;
  /** The arguments of a person, if the call was made with those. */
  readonly called?: string | undefined;
  readonly result?: string | undefined;
  /** How it ended or stands, as the server has it; without it, its parts tell. */
  readonly outcome?: string | undefined;
  /** The message that the call belongs to. */
  readonly parent?: string | undefined;
  readonly done: boolean;
}

/** An entry of one kind. */
export type EntryOf<K extends Entry['kind']> = Extract<Entry, { readonly kind: K }>;

/** The id of a call, for its results and approvals. */
export function callIdOf({ id, callId }: EntryOf<'call'>): string {
  return callId ?? id;
}

/** The state of a call, in the words of the console. */
export function callStateOf({ outcome, result, done }: Call): string {
  const isOver = result !== undefined;
  if (outcome !== undefined && !(isOver && outcome === 'approved')) return outcome;
  return isOver ? 'completed' : done ? 'waiting' : 'writing';
}

/** The entries of a conversation, in order. Changes of one turn of the event loop are announced together. */
export class Transcript {
  private list: readonly Entry[] = [];
  private positions = new Map<string, number>();
  private draft: Entry[] | undefined;
  private readonly listeners = new Set<() => void>();

  /** The entries as they are now; a new array after each announcement. */
  readonly entries = (): readonly Entry[] => this.list;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** The entry with an id, changes that are not announced yet included. */
  get(id: string): Entry | undefined {
    const position = this.positions.get(id);
    return position === undefined ? undefined : this.current[position];
  }

  /** Adds an entry, or replaces the one with the same id at its place. */
  put(entry: Entry): void {
    const draft = this.open();
    const position = this.positions.get(entry.id);
    if (position === undefined) this.positions.set(entry.id, draft.push(entry) - 1);
    else draft[position] = entry;
  }

  /** Changes an entry of a kind; nothing happens if there is none with the id. */
  change<K extends Entry['kind']>(id: string, kind: K, change: (entry: EntryOf<K>) => Partial<EntryOf<K>>): void {
    const entry = this.get(id);
    if (entry?.kind === kind) this.put({ ...entry, ...change(entry as EntryOf<K>) });
  }

  /** Changes the calls that match. */
  changeCalls(matches: (call: EntryOf<'call'>) => boolean, change: Partial<Call>): void {
    for (const entry of this.current) {
      if (entry.kind === 'call' && matches(entry)) this.put({ ...entry, ...change });
    }
  }

  /** Nothing of a run is being written any more. */
  complete(run: string | undefined): void {
    for (const entry of this.current) {
      if (entry.run === run && (entry.kind === 'text' || entry.kind === 'reasoning') && !entry.done)
        this.put({ ...entry, done: true });
    }
  }

  /** Removes the entries that match. */
  remove(matches: (entry: Entry) => boolean): void {
    const kept = this.current.filter((entry) => !matches(entry));
    if (kept.length === this.current.length) return;
    this.open();
    this.draft = kept;
    this.positions = new Map(kept.map(({ id }, index) => [id, index]));
  }

  /** The entries, changes that are not announced yet included. */
  get current(): readonly Entry[] {
    return this.draft ?? this.list;
  }

  private open(): Entry[] {
    if (this.draft) return this.draft;
    this.draft = [...this.list];
    setTimeout(() => this.announce(), 16);
    return this.draft;
  }

  private announce(): void {
    if (!this.draft) return;
    this.list = this.draft;
    this.draft = undefined;
    for (const listener of this.listeners) listener();
  }
}
