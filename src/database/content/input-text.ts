import type { ContentSeals } from './content-seals.js';
import { runPlace } from './place.js';

/** The first characters of what `inputTextOf` selects where content is sealed. */
const PLAIN = '=';
const SEALED = '~';
/** The row of the run, then the sealed text. */
const FOUND = /^~(\d+)\.(\d+) (.+)$/s;

/** The first words of a run's input as an SQL expression, which `openInputText` reads. @param run the alias of `runs` */
export function inputTextOf({ isOn }: ContentSeals, run: string): string {
  if (!isOn) return `${run}.input_text`;
  return `CASE WHEN ${run}.input_sealed IS NULL THEN '${PLAIN}' || ${run}.input_text
    ELSE '${SEALED}' || ${run}.session_no || '.' || ${run}.ordinal || ' ' || ${run}.input_sealed END`;
}

/** What `inputTextOf` selected, in the clear. Only within `ContentSeals.reading`. @throws UnreadableContent */
export function openInputText(content: ContentSeals, tenantId: string, selected: string | null): string | null {
  if (!content.isOn || selected === null) return selected;
  const [, sessionRowId, ordinal, sealed] = FOUND.exec(selected) ?? [];
  if (sealed === undefined) return selected.slice(PLAIN.length);
  return content.json(tenantId, runPlace('input_sealed', Number(sessionRowId), Number(ordinal)), sealed);
}
