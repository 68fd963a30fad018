import type { Interrupt } from '../api/types.js';
import { isObject } from '../lib/format.js';
import { askedState } from '../ui/outcome-words.js';

/** An argument of a call that a person has changed. A side is undefined where the argument is missing. */
export interface Change {
  readonly name: string;
  readonly asked: unknown;
  readonly called: unknown;
}

/** The arguments with which a decided call was made: those of the person, otherwise those of the model. */
export function calledWith({ arguments: asked, decision }: Pick<Interrupt, 'arguments' | 'decision'>): unknown {
  return decision?.argumentsText ?? decision?.arguments ?? asked;
}

/** What a person has changed in the arguments of the model, in the order of their names. */
export function changesOf({
  arguments: asked,
  decision,
}: Pick<Interrupt, 'arguments' | 'decision'>): readonly Change[] {
  const called = decision?.arguments;
  if (!isObject(called)) return [];
  const before: Readonly<Record<string, unknown>> = asked ?? {};
  return [...new Set([...Object.keys(before), ...Object.keys(called)])]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(called[name]))
    .sort()
    .map((name) => ({ name, asked: before[name], called: called[name] }));
}

/** The state of an interrupt, as the words of the console have it: approvals with other arguments have a word of their own. */
export function decisionOf({ status, decision }: Pick<Interrupt, 'status' | 'decision'>): string {
  return askedState({ status, isEdited: decision?.arguments !== undefined });
}

/** Who has decided, for people; undefined while nobody is known to have. */
export function deciderOf({ decidedBy }: Pick<Interrupt, 'decidedBy'>): string | undefined {
  if (!decidedBy) return undefined;
  const { actor, userId } = decidedBy;
  const account = actor.account ?? actor.id;
  return actor.kind === 'key' && userId !== `service:${account}` ? `${userId} (key ${account})` : userId;
}
