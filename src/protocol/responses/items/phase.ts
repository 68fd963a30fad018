import type { Message, MessageType } from '../../../events/index.js';

/** Whether a text of the assistant precedes further work, or answers the request. */
export type Phase = 'commentary' | 'final_answer';

/** The phases by their names. */
export const PHASES: readonly Phase[] = ['commentary', 'final_answer'];

/** The key of a message's metadata with the phase that the client sent with it. */
const KEPT_PHASE = 'responses_phase';

/** Messages that are no part of what a response says or does. */
const SILENT: ReadonlySet<MessageType> = new Set(['heartbeat', 'error', 'a2ui_response', 'a2ui_action']);

/** True if a text before this message is followed by something: it is not the answer. */
export function isFurtherWork({ type }: Pick<Message, 'type'>): boolean {
  return !SILENT.has(type);
}

/** The metadata of a message with this phase. */
export function keptPhase(phase: Phase): { readonly [KEPT_PHASE]: Phase } {
  return { [KEPT_PHASE]: phase };
}

/**
 * The phases of the assistant's texts (contract responses, section A3): `commentary` before further work,
 * `final_answer` at the end of a turn. A text that was cut has none, and one that the client labeled keeps its own.
 *
 * @param messages those of one run, or of a conversation
 * @param last the phase of a text at the end; undefined while it is not known whether it is the end
 */
export function phasesOf(messages: readonly Message[], last: Phase | undefined): ReadonlyMap<Message, Phase> {
  const phases = new Map<Message, Phase>();
  let next = last;
  for (const message of messages.toReversed()) {
    if (isRequest(message)) next = 'final_answer';
    else if (isFurtherWork(message)) {
      const phase = phaseOf(message) ?? next;
      if (phase !== undefined && isWhole(message)) phases.set(message, phase);
      next = 'commentary';
    }
  }
  return phases;
}

/** The phases that clients sent with their messages. */
export function keptPhases(messages: readonly Message[]): ReadonlyMap<Message, Phase> {
  const kept = messages.map((message) => [message, phaseOf(message)] as const);
  return new Map(kept.filter((entry): entry is readonly [Message, Phase] => entry[1] !== undefined));
}

function phaseOf({ metadata }: Message): Phase | undefined {
  return PHASES.find((phase) => phase === metadata?.[KEPT_PHASE]);
}

/** True for a message of a user or a system: a turn has ended before it. */
function isRequest({ type, role }: Message): boolean {
  return type === 'message' && role !== 'assistant';
}

function isWhole({ type, role, status }: Message): boolean {
  return type === 'message' && role === 'assistant' && status === 'completed';
}
