import type { Json } from '../../../../common/index.js';
import { asText, type Fields, numberAt, objectAt, objectsAt, textAt } from '../json-fields.js';
import { PartedText } from '../parted-text.js';
import { UNNAMED } from './responses-items.js';

/** Candidates that are compared with an item of the whole response. */
const MOST_COMPARED = 16;

/** What an event is about; a call stands for all that is neither. */
export type ItemKind = 'message' | 'reasoning' | 'call';

/** One item of an answer. */
export class ResponsesItem {
  readonly text: PartedText;
  readonly refusal: PartedText;
  /** True once it is told whole. */
  isDone = false;
  /** True once an event has begun it. */
  isAnnounced = false;
  callId: string | undefined;

  /**
   * @param key at the writer
   * @param place where it is in the answer; empty if it names none
   * @param type of the item, or the kind if no more is known; empty if nothing is
   */
  constructor(
    readonly key: string,
    readonly place: string,
    public type: string,
    public id?: string,
  ) {
    this.text = new PartedText(key, 'text');
    this.refusal = new PartedText(`${key}/refusal`, 'refusal');
  }

  /** What was shown of it was taken back. @returns the keys of its messages at the writer */
  forget(): readonly string[] {
    this.text.forget();
    this.refusal.forget();
    return [this.key, this.text.key, this.refusal.key];
  }

  /** Whether it may be an item of this type. */
  fits(type: string): boolean {
    return this.type === '' || this.type === type || (this.type === 'call' && kindOf(type) === 'call');
  }
}

/**
 * Finds the items that events are about. Servers share a place among several items, or begin to count at 1, or name none;
 * others give an item another id in each event. An item is found by its id, or else is the latest one at the place.
 */
export class ResponsesItems {
  private readonly all: ResponsesItem[] = [];
  private readonly unnamed = new ResponsesItem(UNNAMED, '', 'message');
  private readonly ids = new Map<string, ResponsesItem>();
  /** Ids that several items have: some servers give all of them one. */
  private readonly shared = new Set<string>();
  /** The latest item of each kind at each place. */
  private readonly latest = new Map<string, ResponsesItem>();
  private readonly keys = new Set<string>([UNNAMED]);
  private readonly counts = new Map<string, number>();

  /** The item that an event begins. */
  begin(fields: Fields): ResponsesItem {
    const item = objectAt(fields, 'item');
    const [place, type] = [placeOf(fields), textAt(item, 'type') ?? ''];
    const latest = this.latest.get(placeKey(place, kindOf(type)));
    const isOpen = latest && !latest.isAnnounced && !latest.isDone && place !== '' && latest.fits(type);
    const known = this.known(textAt(item, 'id'), place, type) ?? (isOpen ? latest : undefined);
    return this.announce(known ?? this.create(place, type, textAt(item, 'id')), item);
  }

  /** The item that an event ends. */
  finish(fields: Fields): ResponsesItem {
    const item = objectAt(fields, 'item');
    const [place, type] = [placeOf(fields), textAt(item, 'type') ?? ''];
    const latest = this.latest.get(placeKey(place, kindOf(type)));
    const isOpen = latest?.fits(type) === true && !latest.isDone && (place !== '' || agrees(latest, item));
    const known = this.known(textAt(item, 'id'), place, type) ?? (isOpen ? latest : undefined);
    return this.announce(known ?? this.create(place, type, textAt(item, 'id')), item);
  }

  /** The item of another event. @param isPiece it goes on with the item, which is not whole then */
  find(fields: Fields, kind: ItemKind, isPiece = false): ResponsesItem {
    const [place, id] = [placeOf(fields), textAt(fields, 'item_id')];
    const known = this.known(id, place);
    if (known && kindOf(known.type) === kind) return known;
    const latest = place === '' && id !== undefined ? undefined : this.latest.get(placeKey(place, kind));
    if (latest && !(isPiece && latest.isDone)) return latest;
    return place === '' && id === undefined && kind === 'message' ? this.unnamed : this.create(place, kind, id);
  }

  /** The items of a whole response: those that are known, and new ones. */
  pair(output: readonly Fields[]): readonly ResponsesItem[] {
    const claimed = new Set<ResponsesItem>();
    const named = output.map((one) => {
      const item = this.known(textAt(one, 'id'), '', textAt(one, 'type') ?? '', true);
      if (!item || claimed.has(item)) return undefined;
      claimed.add(item);
      return item;
    });
    const places = grouped(this.all, ({ place }) => place);
    const kinds = grouped(this.all, ({ type }) => kindOf(type));
    return output.map((one, index) => {
      const type = textAt(one, 'type') ?? '';
      const here = named[index] ? [] : unclaimed(places.get(`#${index}`), claimed);
      const alike = named[index] ? [] : unclaimed(kinds.get(kindOf(type)), claimed);
      const item =
        named[index] ??
        [...here, ...alike].find((known) => agrees(known, one)) ??
        here.find((known) => known.fits(type) && isSameCall(known, one)) ??
        this.create(`#${index}`, type, textAt(one, 'id'));
      claimed.add(item);
      return this.announce(item, one);
    });
  }

  /** Items that an earlier attempt has told. @param known what `toldItem` was for them; earlier versions kept keys alone */
  restore(keys: readonly Json[], known: readonly Json[]): void {
    const facts = new Map(known.flatMap((one) => (Array.isArray(one) ? [[asText(one[0]), one] as const] : [])));
    for (const key of keys.map(asText)) {
      const [, place = /^#\d+/.exec(key)?.[0] ?? '', type = '', id] = facts.get(key) ?? [];
      const item = new ResponsesItem(key, asText(place), asText(type), id === undefined ? undefined : asText(id));
      item.isDone = true;
      this.keys.add(key);
      this.all.push(item);
      this.name(item, item.id);
    }
  }

  private known(id: string | undefined, place: string, type?: string, isWhole = false): ResponsesItem | undefined {
    const item = id === undefined ? undefined : this.ids.get(id);
    if (!item || (type !== undefined && !item.fits(type))) return undefined;
    if (isWhole) return this.shared.has(id ?? '') ? undefined : item;
    return !item.isDone || item.place === place ? item : undefined;
  }

  private announce(item: ResponsesItem, fields: Fields): ResponsesItem {
    const id = textAt(fields, 'id');
    item.isAnnounced = true;
    item.type = textAt(fields, 'type') ?? item.type;
    item.callId ??= textAt(fields, 'call_id');
    item.id ??= id;
    this.name(item, id);
    return item;
  }

  private name(item: ResponsesItem, id: string | undefined): void {
    if (id === undefined) return;
    const other = this.ids.get(id);
    if (other && other !== item) this.shared.add(id);
    this.ids.set(id, item);
  }

  private create(place: string, type: string, id: string | undefined): ResponsesItem {
    const item = new ResponsesItem(this.newKey(place === '' ? (id ?? UNNAMED) : place), place, type, id);
    this.all.push(item);
    this.latest.set(placeKey(place, kindOf(type)), item);
    this.name(item, id);
    return item;
  }

  private newKey(base: string): string {
    let key = base;
    for (let count = this.counts.get(base) ?? 1; this.keys.has(key); count += 1) {
      key = `${base}/${count + 1}`;
      this.counts.set(base, count + 1);
    }
    this.keys.add(key);
    return key;
  }
}

/** What is kept of an item that is told, for `ResponsesItems.restore`. */
export function toldItem({ key, place, type, id }: ResponsesItem): Json {
  return [key, place, type, ...(id === undefined ? [] : [id])];
}

/** The text of a message. */
export function textOfMessage(item: Fields): string {
  return objectsAt(item, 'content')
    .map((part) => (textAt(part, 'type') === 'output_text' ? (textAt(part, 'text') ?? '') : ''))
    .join('');
}

function kindOf(type: string): ItemKind {
  return type === 'message' || type === 'reasoning' ? type : 'call';
}

function placeOf(fields: Fields): string {
  const index = numberAt(fields, 'output_index');
  return index === undefined ? '' : `#${index}`;
}

function placeKey(place: string, kind: ItemKind): string {
  return `${kind}:${place}`;
}

/** Whether what is known of an item is what an item of the answer says. */
function agrees(known: ResponsesItem, item: Fields): boolean {
  if (!known.fits(textAt(item, 'type') ?? '') || !isSameCall(known, item)) return false;
  return known.type !== 'message' || known.text.agrees(textOfMessage(item));
}

function isSameCall({ callId }: ResponsesItem, item: Fields): boolean {
  const other = textAt(item, 'call_id');
  return callId === undefined || other === undefined || callId === other;
}

/** The first few items that stand for none of the answer yet. */
function unclaimed(items: ResponsesItem[] | undefined, claimed: ReadonlySet<ResponsesItem>): readonly ResponsesItem[] {
  while (items?.[0] && claimed.has(items[0])) items.shift();
  return (items ?? []).slice(0, MOST_COMPARED).filter((item) => !claimed.has(item));
}

function grouped(
  items: readonly ResponsesItem[],
  by: (item: ResponsesItem) => string,
): ReadonlyMap<string, ResponsesItem[]> {
  const groups = new Map<string, ResponsesItem[]>();
  for (const item of items) {
    const group = groups.get(by(item));
    if (group) group.push(item);
    else groups.set(by(item), [item]);
  }
  return groups;
}
