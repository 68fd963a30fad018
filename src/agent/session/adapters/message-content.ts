import { type ContentSeals, messagePlace } from '../../../database/index.js';

/** What tells where a message is stored; selected where content is sealed. */
interface MessageKey {
  readonly session_no: number;
  readonly seq_no: number;
  readonly tenant_id: string;
}

/** Columns of `messages` that hold content, as they were read. */
interface StoredContent {
  readonly body: string;
  readonly provider_state?: string | null;
}

/** The columns that `openMessages` needs besides those with content. @param messages the alias of `messages` */
export function keyColumns({ isOn }: ContentSeals, messages = 'messages'): string {
  if (!isOn) return '';
  return `, ${messages}.session_no AS session_no, ${messages}.seq AS seq_no,
    (SELECT o.tenant_id FROM sessions o WHERE o.no = ${messages}.session_no) AS tenant_id`;
}

/** Rows of `messages` in the clear. @throws UnreadableContent */
export function openMessages<Row extends StoredContent>(
  content: ContentSeals,
  rows: readonly Row[],
): readonly Row[] | Promise<readonly Row[]> {
  return content.isOn ? content.reading(() => rows.map((row) => opened(content, row))) : rows;
}

function opened<Row extends StoredContent>(content: ContentSeals, row: Row): Row {
  const { session_no, seq_no, tenant_id } = row as Row & MessageKey;
  const { body, provider_state: state } = row;
  return {
    ...row,
    body: content.json(tenant_id, messagePlace('body', session_no, seq_no), body),
    ...(state && {
      provider_state: content.json(tenant_id, messagePlace('provider_state', session_no, seq_no), state),
    }),
  };
}
