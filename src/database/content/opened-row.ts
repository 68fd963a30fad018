import type { ContentSeals } from './content-seals.js';
import { CONTENT_TABLES, type ContentRow, type ContentTable } from './sealed-columns.js';

/** The columns that `openedContent` needs of a row, besides those that are asked for; none of a table without content. */
export function contentKeyOf(table: string): readonly string[] {
  const found = tableOf(table);
  return found ? [...found.key, ...found.read, ...found.columns.flatMap(({ sealedIn }) => sealedIn ?? [])] : [];
}

/** The columns of a table that are as long as what people and models wrote. */
export function contentColumnsOf(table: string): readonly string[] {
  return tableOf(table)?.columns.flatMap(({ name, sealedIn }) => [name, ...(sealedIn ? [sealedIn] : [])]) ?? [];
}

/**
 * A row with its content in the clear: each column that holds content, if it was selected. Only within
 * `ContentSeals.reading`.
 *
 * @param row with the columns of `contentKeyOf`
 * @throws UnreadableContent
 */
export function openedContent(content: ContentSeals, table: string, tenantId: string, row: ContentRow): ContentRow {
  const opened: Record<string, string | number | null> = { ...row };
  for (const { name, kind, sealedIn, place } of tableOf(table)?.columns ?? []) {
    const stored = row[sealedIn ?? name];
    if (typeof stored !== 'string') continue;
    const isJson = kind === 'json' || sealedIn !== undefined;
    opened[name] = isJson ? content.json(tenantId, place(row), stored) : content.text(tenantId, place(row), stored);
  }
  return opened;
}

/** A row whose content cannot be decrypted, without it. */
export function withoutContentOf(table: string, row: ContentRow): ContentRow {
  const columns = tableOf(table)?.columns ?? [];
  return { ...row, ...Object.fromEntries(columns.map(({ name }) => [name, null])) };
}

function tableOf(name: string): ContentTable | undefined {
  return CONTENT_TABLES.find((table) => table.name === name);
}
