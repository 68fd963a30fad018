import { OpenAiError } from './openai-error.js';

/** Which part of a list to show. */
export interface PageQuery {
  /** From 1 to 100, in decimal digits. Default 20. */
  readonly limit?: string;
  /** Default `desc`, newest first. */
  readonly order?: 'asc' | 'desc';
  /** The id of the last item of the previous page. */
  readonly after?: string;
}

/** A page of a list; the next page begins after `last_id`. */
export interface ListPage<T> {
  readonly object: 'list';
  readonly data: readonly T[];
  /** The id of the first entry; null if the page is empty. */
  readonly first_id: string | null;
  /** The id of the last entry, which is the `after` of the next page; null if the page is empty. */
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** Entries of a page without `limit`. */
const DEFAULT_LIMIT = 20;

/**
 * One page of items (contract responses, section A1; contract chat-completions, section A1), newest first unless `order` is `asc`.
 *
 * @param items oldest first
 *
 * @throws OpenAiError INVALID_PARAMETER when no item has the id `after`
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

/** @throws OpenAiError INVALID_PARAMETER if the list has no such item */
function positionAfter(items: readonly { readonly id: string }[], id: string): number {
  const position = items.findIndex((item) => item.id === id);
  if (position >= 0) return position + 1;
  throw new OpenAiError('INVALID_PARAMETER', `after: this list has no item with the id '${id}'`, 'after');
}
