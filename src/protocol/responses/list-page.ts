import { ResponsesError } from './responses.errors.js';

/** Which part of a list to show. */
export interface PageQuery {
  readonly limit?: string;
  readonly order?: 'asc' | 'desc';
  readonly after?: string;
}

/** A page of a list; the next page begins after `last_id`. */
export interface ListPage<T> {
  readonly object: 'list';
  readonly data: readonly T[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

const DEFAULT_LIMIT = 20;

/**
 * One page of items (contract responses, section A1), newest first unless `order` is `asc`.
 *
 * @param items oldest first
 *
 * @throws ResponsesError INVALID_PARAMETER when no item has the id `after`
 */
export function listPage<T extends { readonly id: string }>(items: readonly T[], query: PageQuery): ListPage<T> {
  const ordered = query.order === 'asc' ? items : items.toReversed();
  const start = query.after === undefined ? 0 : positionAfter(ordered, query.after);
  const data = ordered.slice(start, start + Number(query.limit ?? DEFAULT_LIMIT));
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < ordered.length,
  };
}

function positionAfter(items: readonly { readonly id: string }[], id: string): number {
  const position = items.findIndex((item) => item.id === id);
  if (position >= 0) return position + 1;
  throw new ResponsesError('INVALID_PARAMETER', `after: this list has no item with the id '${id}'`, 'after');
}
