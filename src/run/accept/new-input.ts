import { AppError, fingerprint, type JsonObject } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import { type Message, withMessageId } from '../../events/index.js';
import type { OpenedSession, SessionStore, StoredMessage } from '../../agent/session/index.js';
import type { RunLedger } from '../run-ledger.js';
import type { RunRequest } from '../run.types.js';
import type { RunRecord } from '../run-record.js';
import { alignmentOf, unitsOf } from './conversation-units.js';
import {
  checkToolResults,
  isToolMessage,
  newInConversation,
  withoutRepetition,
  withoutServerResults,
} from './input-repetition.js';
import { compareConversation, type LostTurn } from './resent-conversation.js';

const NOBODY: ReadonlySet<string> = new Set();
const NONE: ReadonlySet<StoredMessage> = new Set();

/**
 * The messages of a request that the session does not have yet. A conversation that is resent as a whole, and has lost
 * its later turns, takes them out of the session.
 *
 * @param now milliseconds since the epoch
 * @param replaced as `replacedMessages` returns them
 * @throws AppError INVALID_PARAMETER for the result of an unknown or already answered tool call
 */
export async function newInput(
  tx: Transaction,
  ledger: RunLedger,
  session: OpenedSession,
  request: RunRequest,
  { now, replaced }: { readonly now: number; readonly replaced: readonly StoredMessage[] },
): Promise<readonly Message[]> {
  if (request.resendsHistory === true) return newOfConversation(tx, ledger, session, request, now);
  if (replaced.length > 0) {
    // Whoever takes a question back takes everything back that has followed from it.
    await rollBackTurns(tx, ledger, session, [{ messages: replaced, isAskedAgain: true }], now);
    return request.input;
  }
  const { sessions } = ledger;
  const { input } = request;
  const isFirst = session.runOrdinal === 1;
  const ids = input.map(({ id }) => id);
  const byId = isFirst ? new Map<string, Message>() : await sessions.messagesById(tx, session.rowId, ids);
  const outputs = input.filter(({ type }) => type.endsWith('_call_output'));
  const whose = outputs.every(({ type }) => type === 'function_call_output') ? 'client' : 'all';
  const known = outputs.length > 0 && !isFirst ? await sessions.toolMessages(tx, session.rowId, whose) : [];
  const unknown = withoutRepetition(input, byId, known);
  const fresh = withoutServerResults(
    isFirst ? unknown : await withoutPast(tx, sessions, session, input, unknown),
    known,
  );
  if (outputs.length > 0) checkToolResults(fresh, known);
  return fresh;
}

/**
 * The messages that a request takes out of the conversation (`RunRequest.replacesFrom`). To be called before runs are
 * canceled for the request, because their messages are no longer part of the conversation then.
 *
 * @throws AppError MESSAGE_CONFLICT if the conversation no longer has the message
 */
export async function replacedMessages(
  tx: Transaction,
  { sessions }: RunLedger,
  { rowId }: OpenedSession,
  { replacesFrom }: RunRequest,
): Promise<readonly StoredMessage[]> {
  if (replacesFrom === undefined) return [];
  const stored = await sessions.conversation(tx, rowId);
  const begin = stored.findLast(({ message, origin }) => message.id === replacesFrom && origin === 'input');
  if (!begin) throw new AppError('MESSAGE_CONFLICT', `The conversation no longer has the message ${replacesFrom}`);
  const isOutside = begin.runRowId === 0;
  return stored.filter(
    ({ runOrdinal, seq }) =>
      runOrdinal > begin.runOrdinal || (runOrdinal === begin.runOrdinal && (!isOutside || seq >= begin.seq)),
  );
}

/**
 * Leaves out of messages that no id makes known what repeats the conversation: up to the last answer of it that is
 * equal, together with what was asked before.
 *
 * @param unknown the last messages of `input`
 */
async function withoutPast(
  tx: Transaction,
  sessions: SessionStore,
  { rowId }: OpenedSession,
  input: readonly Message[],
  unknown: readonly Message[],
): Promise<readonly Message[]> {
  if (!unknown.some(({ type, role }) => type === 'message' && role === 'assistant')) return unknown;
  const stored = await sessions.conversation(tx, rowId);
  const units = unitsOf(input);
  const alignment = alignmentOf(units, unitsOf(stored.map(({ message }) => message)));
  const last = alignment && units[alignment.length - 1]?.indexes.at(-1);
  return last === undefined ? unknown : input.slice(Math.max(last + 1, input.length - unknown.length));
}

/** The new messages of a conversation that is resent as a whole. */
async function newOfConversation(
  tx: Transaction,
  ledger: RunLedger,
  session: OpenedSession,
  request: RunRequest,
  now: number,
): Promise<readonly Message[]> {
  const { input, unnamed = NOBODY, answers = [] } = request;
  const isNew = session.runOrdinal === 1 || (await isNewQuestion(tx, ledger.sessions, session, request));
  const stored = isNew ? [] : await ledger.sessions.conversation(tx, session.rowId);
  const answersInterrupts = answers.length > 0;
  const { known, lost } = compareConversation({ input, unnamed }, stored);
  const gone = answersInterrupts || lost.length === 0 ? NONE : await rollBackTurns(tx, ledger, session, lost, now);
  const left = stored.filter((one) => !gone.has(one));
  const repeated = known.map((index) => {
    const one = stored[index ?? -1];
    return one && !gone.has(one) ? one.message : undefined;
  });
  const toolMessages = left.map(({ message }) => message).filter(isToolMessage);
  const fresh = newInConversation(input, repeated, toolMessages, answersInterrupts);
  checkToolResults(fresh, toolMessages);
  return withFreeIds(fresh, left, unnamed);
}

/** True for the request of a client that sends what is new: the whole conversation need not be read. */
async function isNewQuestion(
  tx: Transaction,
  sessions: SessionStore,
  { rowId }: OpenedSession,
  { input }: RunRequest,
): Promise<boolean> {
  const [only, ...others] = input;
  if (!only || others.length > 0 || isToolMessage(only)) return false;
  return (await sessions.messagesById(tx, rowId, [only.id])).size === 0;
}

/** Gives messages without an id of their own, which say what an earlier one says, ids that the session does not have. */
function withFreeIds(
  fresh: readonly Message[],
  left: readonly StoredMessage[],
  unnamed: ReadonlySet<string>,
): readonly Message[] {
  if (unnamed.size === 0) return fresh;
  const taken = new Set([...left.map(({ message }) => message.id), ...fresh.map(({ id }) => id)]);
  const stored = new Set(left.map(({ message }) => message.id));
  return fresh.map((message) => {
    if (!unnamed.has(message.id) || !stored.has(message.id)) return message;
    let id = message.id;
    for (let place = 1; taken.has(id); place += 1) id = `msg_${fingerprint([message.id, place]).slice(0, 32)}`;
    taken.add(id);
    return withMessageId(message, id);
  });
}

/** A run that was rolled back, and the state that its request had replaced; null if it had replaced none. */
interface RolledBack {
  readonly run: RunRecord;
  readonly replaced: JsonObject | null;
}

/**
 * Takes turns that a client has lost out of the conversation: their messages, their runs, and what these have changed in
 * the shared state. Turns of clients that do not resend the conversation stay, because this client may not know them, and
 * what happens to a run in progress is a matter of the busy policy.
 *
 * @param lost oldest first
 * @param now milliseconds since the epoch
 * @returns the messages that are no longer part of the conversation
 */
async function rollBackTurns(
  tx: Transaction,
  ledger: RunLedger,
  { rowId: sessionRowId }: OpenedSession,
  lost: readonly LostTurn[],
  now: number,
): Promise<ReadonlySet<StoredMessage>> {
  const { runs, sessions } = ledger;
  const first = lost[0]?.messages[0]?.runOrdinal ?? 0;
  const ended = new Map((await runs.endedFrom(tx, sessionRowId, first)).map((run) => [run.rowId, run]));
  const gone = lost.flatMap((turn) => (isDiscarded(turn, ended) ? turn.messages : []));
  const isGone = gone.filter(({ runRowId }) => runRowId === 0 || ended.has(runRowId));
  const rowIds = new Set(isGone.map(({ runRowId }) => runRowId));
  const rolledBack: RolledBack[] = [];
  for (const [rowId, run] of ended) {
    // A run that went on with such a run may have no messages.
    if (!rowIds.has(rowId) && !rowIds.has(run.request.resumes?.rootRunRowId ?? -1)) continue;
    const marked = await runs.markRolledBack(tx, rowId);
    if (marked) rolledBack.push({ run, replaced: marked.stateBefore });
    await sessions.hideRun(tx, sessionRowId, rowId);
  }
  await sessions.hideAdded(
    tx,
    sessionRowId,
    isGone.flatMap(({ runRowId, seq }) => (runRowId === 0 ? [seq] : [])),
  );
  if (rolledBack.length === ended.size) await restoreState(tx, ledger, rolledBack, now);
  return new Set(isGone);
}

/** Whether a client that resends the conversation has left the turn out, and not just never had it. */
function isDiscarded({ messages, isAskedAgain }: LostTurn, ended: ReadonlyMap<number, RunRecord>): boolean {
  const [begin] = messages;
  return isAskedAgain || (begin !== undefined && ended.get(begin.runRowId)?.request.resendsHistory === true);
}

/** The shared state becomes that before the runs, unless none of them has changed it or it is not known any more. */
async function restoreState(
  tx: Transaction,
  { log, sessions }: RunLedger,
  rolledBack: readonly RolledBack[],
  now: number,
): Promise<void> {
  for (const { run, replaced } of rolledBack) {
    const state = replaced ?? (await log.stateBefore(tx, run.rowId));
    if (state) return sessions.saveState(tx, run, state, now);
  }
}
