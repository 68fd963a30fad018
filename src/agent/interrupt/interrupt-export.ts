import { type Json, parsedJson } from '../../common/index.js';
import { actorIn, flag, json, OF_USER, time, type UserExporter, type UserTable } from '../../data-protection/index.js';
import { hasDecided, likeNamed } from './decided-by.js';
import type { DecidedBy } from './interrupt.types.js';

const QUESTIONS: UserTable = {
  kind: 'questions',
  from: 'interrupts',
  where: OF_USER,
  key: ['no'],
  members: {
    interruptId: 'id',
    kind: 'kind',
    status: 'status',
    runId: 'run_id',
    sessionId: 'session_id',
    callId: 'call_id',
    inputKey: 'input_key',
    toolName: 'tool_name',
    arguments: 'arguments',
    serverLabel: 'server_label',
    reason: 'reason',
    message: 'message',
    responseSchema: ['response_schema', json],
    mayEdit: ['may_edit', flag],
    decision: ['decision', json],
    decidedBy: ['decided_by', actorIn('actor')],
    resumedByRunId: 'resumed_by_run_id',
    createdAt: ['created_at', time],
    expiresAt: ['expires_at', time],
    answeredAt: ['answered_at', time],
  },
  leftOut: [
    ...['tenant_id', 'user_id', 'session_no', 'run_no', 'root_run_no', 'waiting_run_no', 'arguments_hash'],
    ...['resumed_by_run_no', 'approvers', 'binding'],
  ],
};

/** Answers of the user to questions of others: what was asked and said is theirs, and stays when the user is erased. */
const ANSWERS: UserTable = {
  kind: 'answersOfOthers',
  from: 'interrupts',
  where: `tenant_id = ? AND user_id <> ? AND decided_by LIKE ? ESCAPE '\\'`,
  key: ['no'],
  members: { interruptId: 'id', kind: 'kind', status: 'status', answeredAt: ['answered_at', time] },
  leftOut: ['decided_by'],
};

/** What a user is asked, and what the user has decided for others. */
export const INTERRUPT_EXPORT: UserExporter = {
  async *exportUser({ user, list }) {
    yield* list(QUESTIONS);
    const { tenantId, userId } = user;
    for await (const answer of list(ANSWERS, [tenantId, userId, likeNamed(userId)])) {
      const text = answer.row['decided_by'];
      const decided = typeof text === 'string' ? (parsedJson(text) as Json) : undefined;
      if (hasDecided(decided as unknown as DecidedBy, userId)) yield answer;
    }
  },
};
