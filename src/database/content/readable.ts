import { Logger } from '@nestjs/common';
import { type ContentSeals, UnreadableContent } from './content-seals.js';

const logger = new Logger('Content');

/**
 * Rows with their content in the clear, for work on rows of many tenants, which one row must not stop: a row whose content
 * cannot be decrypted is logged, and then left out.
 *
 * @param open as in `ContentSeals.reading`
 * @param otherwise what stands for a row that cannot be read; undefined: it is left out
 */
export async function readable<Row, Opened>(
  content: ContentSeals,
  rows: readonly Row[],
  open: (row: Row) => Opened,
  otherwise?: (row: Row) => Opened,
): Promise<readonly Opened[]> {
  try {
    return await content.reading(() => rows.map((row) => open(row)));
  } catch (error) {
    if (!(error instanceof UnreadableContent)) throw error;
  }
  const opened: Opened[] = [];
  for (const row of rows) {
    try {
      opened.push(await content.reading(() => open(row)));
    } catch (error) {
      if (!(error instanceof UnreadableContent)) throw error;
      logger.error(error.message);
      if (otherwise) opened.push(otherwise(row));
    }
  }
  return opened;
}
