import { Injectable } from '@nestjs/common';
import { addressKey, ATTACHMENT_PATHS, isOwnPath, parseReference, referenceOf } from '../../agent/attachment/index.js';
import { isoTime, isPlainObject, type JsonObject, parsedJson } from '../../common/index.js';
import {
  actorIn,
  type ExportedRow,
  flag,
  json,
  OF_USER,
  type Reading,
  time,
  type UserExport,
  type UserExporter,
  type UserTable,
} from '../../data-protection/index.js';
import type { LoggedEvent } from '../../events/index.js';
import { RunLog } from '../ports/run-log.js';

/** References to attachments in JSON text. */
const REFERENCES = /parley-attachment:[^"\\\s]+/g;

/** What is carried on to remote agents may be credentials. */
const request: Reading = (value, row, user) => {
  const parsed = typeof value === 'string' ? parsedJson(value) : undefined;
  if (!isPlainObject(parsed) || parsed['carried'] === undefined) return json(value, row, user);
  const { carried: _secret, ...rest } = parsed;
  return JSON.stringify(rest);
};

const SESSIONS: UserTable = {
  kind: 'sessions',
  from: 'sessions',
  where: OF_USER,
  key: ['no'],
  members: {
    sessionId: 'id',
    state: ['state', json],
    metadata: ['metadata', json],
    unlisted: ['unlisted', flag],
    createdAt: ['created_at', time],
    updatedAt: ['updated_at', time],
  },
  leftOut: ['tenant_id', 'user_id', 'run_count', 'message_count'],
};

const MESSAGES: UserTable = {
  kind: 'messages',
  from: 'messages',
  where: 'session_no = ?',
  key: ['seq'],
  members: {
    messageId: 'id',
    runOrdinal: 'run_ordinal',
    role: 'role',
    type: 'type',
    origin: 'origin',
    hidden: ['hidden', flag],
    message: ['body', json],
    providerState: ['provider_state', json],
    createdAt: ['created_at', time],
  },
  leftOut: ['session_no', 'run_no', 'state_key'],
  page: 50,
};

const RUNS: UserTable = {
  kind: 'runs',
  from: 'runs',
  where: 'session_no = ?',
  key: ['ordinal'],
  members: {
    runId: 'id',
    sessionId: 'session_id',
    ordinal: 'ordinal',
    agent: 'agent_type',
    status: 'status',
    wire: 'wire',
    visibility: 'keep',
    model: 'model',
    answeredBy: 'answered_by',
    runKey: 'run_key',
    parentRunId: 'parent_run_id',
    rootRunId: 'root_run_id',
    inputText: 'input_text',
    request: ['request', request],
    wireData: ['wire_data', json],
    stateBefore: ['state_before', json],
    summaries: ['digests', json],
    startedBy: ['authority', actorIn('actor')],
    error: ['error', json],
    usage: ['usage', json],
    createdAt: ['created_at', time],
    startedAt: ['started_at', time],
    finishedAt: ['finished_at', time],
    cancelRequestedAt: ['cancel_requested_at', time],
    closedAt: ['closed_at', time],
    eventsRemovedAt: ['events_pruned_at', time],
  },
  leftOut: [
    ...['no', 'tenant_id', 'user_id', 'session_no', 'fingerprint', 'attempt', 'fence', 'lease_owner', 'lease_until'],
    ...['next_seq', 'created_session', 'claimed_at', 'used_ms', 'compacted_at', 'place', 'input_sealed'],
  ],
  page: 20,
};

const STEPS: UserTable = {
  kind: 'steps',
  from: 'run_steps',
  where: 'run_no = ?',
  key: ['step_key'],
  members: {
    key: 'step_key',
    status: 'status',
    output: ['output', json],
    messageIds: ['message_ids', json],
    startedAt: ['started_at', time],
    updatedAt: ['updated_at', time],
  },
  leftOut: ['run_no', 'input_hash'],
  page: 20,
};

const METADATA: UserTable = {
  kind: 'runMetadata',
  from: 'run_metadata',
  where: OF_USER,
  key: ['wire', 'run_no'],
  members: { runId: 'run_id', wire: 'wire', model: 'model', metadata: ['metadata', json] },
  leftOut: ['tenant_id', 'user_id'],
};

/** Sessions of a user with their messages, runs, events and steps, also those that no list shows. */
@Injectable()
export class RunExporter implements UserExporter {
  constructor(private readonly log: RunLog) {}

  async *exportUser(given: UserExport): AsyncGenerator<ExportedRow, void, void> {
    const own = await ownReferences(given);
    for await (const row of this.rows(given))
      yield {
        ...row,
        data: withReferences(typeof row.data === 'string' ? row.data : JSON.stringify(row.data), own),
      };
  }

  private async *rows({ list }: UserExport): AsyncGenerator<ExportedRow, void, void> {
    for await (const session of list(SESSIONS)) {
      yield session;
      const sessionRowId = Number(session.row['no']);
      const sessionId = String(session.row['id']);
      for await (const message of list(MESSAGES, [sessionRowId])) yield within(message, { sessionId });
      for await (const run of list(RUNS, [sessionRowId])) {
        yield run;
        const runId = String(run.row['id']);
        const runRowId = Number(run.row['no']);
        yield* this.events(runRowId, runId);
        for await (const step of list(STEPS, [runRowId])) yield within(step, { runId });
      }
    }
    yield* list(METADATA);
  }

  /** Through the log, which may be compacted or pruned meanwhile. */
  private async *events(runRowId: number, runId: string): AsyncGenerator<ExportedRow, void, void> {
    for (let next = 0; ;) {
      const chunk = await this.log.readChunk(runRowId, next);
      if (!chunk) return;
      const { fromSeq, toSeq, events } = chunk;
      if (!events) yield { kind: 'events', data: { runId, fromSeq, toSeq }, isUnreadable: true };
      for (const event of events ?? []) yield { kind: 'events', data: eventText(runId, event) };
      next = toSeq + 1;
    }
  }
}

function eventText(runId: string, { seq, at, json: event }: LoggedEvent): string {
  return `{"runId":${JSON.stringify(runId)},"seq":${seq},"at":"${isoTime(at)}","event":${event}}`;
}

/** A row with what it belongs to. */
function within(row: ExportedRow & { readonly data: string }, place: JsonObject): ExportedRow {
  return { ...row, data: `${JSON.stringify(place).slice(0, -1)},${row.data.slice(1)}` };
}

/** Whether a reference is to an attachment of the user: by its path, or, if the tenant had another id then, by what is stored. */
async function ownReferences({ user, list }: UserExport): Promise<(reference: string, path: string) => boolean> {
  const moved = new Set<string>();
  for await (const { row } of list(ATTACHMENT_PATHS)) {
    const path = String(row['path']);
    if (!isOwnPath(user, path)) moved.add(referenceOf(path));
  }
  return (reference, path) => isOwnPath(user, path) || moved.has(reference);
}

/** References to attachments of others name them: only the ids of those stay. */
function withReferences(text: string, isOwn: (reference: string, path: string) => boolean): string {
  return text.replace(REFERENCES, (reference) => {
    const path = parseReference(reference)?.path;
    return path === undefined || isOwn(reference, path) ? reference : addressKey(reference);
  });
}
