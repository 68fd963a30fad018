import type { Transaction } from '../../database/index.js';
import type { Message } from '../../events/index.js';
import type { OpenedSession, SessionStore } from '../../session/index.js';
import type { RunRequest } from '../run.types.js';
import {
  checkToolResults,
  isToolMessage,
  newInConversation,
  withoutRepetition,
  withoutServerResults,
} from './input-repetition.js';

/**
 * The messages of a request that the session does not have yet.
 *
 * @throws AppError INVALID_PARAMETER for the result of an unknown or already answered tool call
 */
export async function newInput(
  tx: Transaction,
  sessions: SessionStore,
  session: OpenedSession,
  request: RunRequest,
): Promise<readonly Message[]> {
  const { input } = request;
  const isFirst = session.runOrdinal === 1;
  const ids = input.map(({ id }) => id);
  const byId = isFirst ? new Map<string, Message>() : await sessions.messagesById(tx, session.rowId, ids);
  if (request.resendsHistory === true) {
    const known = !isFirst && input.some(isToolMessage) ? await sessions.toolMessages(tx, session.rowId, 'all') : [];
    const answersInterrupts = (request.answers?.length ?? 0) > 0;
    const fresh = newInConversation(input, { byId, toolMessages: known }, answersInterrupts);
    checkToolResults(fresh, known);
    return fresh;
  }
  const outputs = input.filter(({ type }) => type.endsWith('_call_output'));
  const whose = outputs.every(({ type }) => type === 'function_call_output') ? 'client' : 'all';
  const known = outputs.length > 0 && !isFirst ? await sessions.toolMessages(tx, session.rowId, whose) : [];
  const fresh = withoutServerResults(withoutRepetition(input, byId, known), known);
  if (outputs.length > 0) checkToolResults(fresh, known);
  return fresh;
}
