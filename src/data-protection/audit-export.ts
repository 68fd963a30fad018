import type { Principal } from '../common/index.js';
import {
  type ColumnValue,
  json,
  OF_USER,
  plain,
  type Reading,
  seenActor,
  type StoredRow,
  time,
  type UserTable,
} from './ports/user-rows.js';
import type { UserExporter } from './user-exporters.js';

const PSEUDONYMS: UserTable = {
  kind: 'pseudonyms',
  from: 'user_pseudonyms',
  where: OF_USER,
  key: ['pseudonym'],
  members: { pseudonym: 'pseudonym', createdAt: ['created_at', time] },
  leftOut: ['tenant_id', 'user_id'],
};

/** What people and models wrote about runs of the user. */
const CONTENTS: UserTable = {
  kind: 'auditContents',
  from: 'audit_payloads p LEFT JOIN audit_lines l ON l.no = p.line_no',
  where: 'p.tenant_id = ? AND p.user_id = ?',
  key: ['line_no'],
  members: {
    at: ['l.at', time],
    action: 'l.action',
    runId: 'l.run_id',
    interruptId: 'l.interrupt_id',
    content: ['content', json],
  },
  leftOut: ['p.tenant_id', 'p.user_id', 'p.salt'],
};

/** Entries of earlier versions that are not lines yet. */
const OLD_ENTRIES: UserTable = {
  kind: 'auditEntries',
  from: 'audit_entries',
  where: OF_USER,
  key: ['no'],
  members: {
    at: ['created_at', time],
    action: 'action',
    sessionId: 'session_id',
    runId: 'run_id',
    interruptId: 'interrupt_id',
    callId: 'call_id',
    toolName: 'tool_name',
    details: ['details', json],
  },
  leftOut: ['tenant_id', 'user_id', 'arguments_hash'],
};

/** What the audit trail knows of a user: names, contents, and the lines in which the user acts or is the subject. */
export const AUDIT_EXPORT: UserExporter = {
  async *exportUser({ user, list }) {
    const names: string[] = [];
    for await (const found of list(PSEUDONYMS)) {
      names.push(String(found.row['pseudonym']));
      yield found;
    }
    yield* list(CONTENTS);
    yield* list(OLD_ENTRIES);
    if (names.length === 0) return;
    yield* list(linesOf(names), [user.userId, user.tenantId, ...names, ...names, ...names]);
  },
};

/** Acts that a user can do with the own things only. */
const OWN_ACTS: ReadonlySet<unknown> = new Set(['run.deleted', 'thread.deleted']);

/**
 * The lines that name the user. Who else has acted, with which request, and on whose run the user has decided, is about
 * others: it is left out.
 *
 * @param names the pseudonyms of the user
 */
function linesOf(names: readonly string[]): UserTable {
  const own = new Set<unknown>(names);
  const oneOf = `IN (${names.map(() => '?').join(', ')})`;
  const ifActing: Reading = (value, row) => (own.has(row['l.actor_id']) ? JSON.stringify(value) : 'null');
  const ifOwn: Reading = (value) => (own.has(value) ? JSON.stringify(value) : 'null');
  const ofOwnRun: Reading = (value, row) =>
    row['r.no'] !== null || OWN_ACTS.has(row['l.action']) ? JSON.stringify(value) : 'null';
  const subject: Reading = (value, row, user) => {
    if (row['l.subject_kind'] === 'user') return ifOwn(value, row, user);
    return row['l.subject_kind'] === 'run' ? ofOwnRun(value, row, user) : plain(value, row, user);
  };
  return {
    kind: 'auditLines',
    from: 'audit_lines l LEFT JOIN runs r ON r.tenant_id = l.tenant_id AND r.id = l.run_id AND r.user_id = ?',
    where: `l.tenant_id = ? AND (l.actor_id ${oneOf} OR l.on_behalf_of ${oneOf} OR (l.subject_kind = 'user' AND l.subject_id ${oneOf}))`,
    key: ['l.at', 'l.no'],
    members: {
      at: ['l.at', time],
      action: 'l.action',
      outcome: 'l.outcome',
      actor: ['l.actor_id', (value, row, user) => JSON.stringify(seenActor(actorOf(value, row, own, user), user))],
      onBehalfOf: ['l.on_behalf_of', ifOwn],
      subjectKind: 'l.subject_kind',
      subjectId: ['l.subject_id', subject],
      runId: ['l.run_id', ofOwnRun],
      interruptId: 'l.interrupt_id',
      callId: ['l.call_id', ofOwnRun],
      toolName: ['l.tool_name', ofOwnRun],
      requestId: ['l.request_id', ifActing],
      network: ['l.network', ifActing],
      details: ['l.details', json],
    },
    leftOut: ['r.no', 'l.tenant_id', 'l.tenant', 'l.actor_kind', 'l.actor_account', 'l.payload_hash'],
    page: 500,
  };
}

function actorOf(
  id: ColumnValue,
  row: StoredRow,
  own: ReadonlySet<unknown>,
  user: Principal,
): Parameters<typeof seenActor>[0] {
  const { 'l.actor_kind': kind, 'l.actor_account': account = null } = row;
  return {
    kind: String(kind),
    id: own.has(id) ? user.userId : '',
    ...(account !== null && { account: String(account) }),
  };
}
