import { matchesGlob } from './glob.js';

/** Who acts: kept with what it does, in addition to the user that it acts for. */
export interface Actor {
  /** What the credential is; `none` without authentication. */
  readonly kind: 'key' | 'user' | 'proxy' | 'cli' | 'none';
  /** A key's id, or the name of the user. */
  readonly id: string;
  /** The account of a key: it survives the rotation of the key. */
  readonly account?: string;
}

/** The kinds of actors that are users. */
export const USER_KINDS = ['user', 'proxy'] as const satisfies readonly Actor['kind'][];

/** Whether an actor is this user itself. */
export function isUser({ kind, id }: { readonly kind: string; readonly id: string }, userId: string): boolean {
  return isUserKind(kind) && id === userId;
}

/** Whether actors of a kind are users. */
export function isUserKind(kind: string): boolean {
  return (USER_KINDS as readonly string[]).includes(kind);
}

/**
 * What a run may do: the rights of whoever started it, stored with it and inherited by the runs that go on from it
 * (contract access, section 5.3). Patterns know `*` only.
 */
export interface Authority {
  readonly actor: Actor;
  /** Patterns of agents; empty: all public ones. An internal agent has to be named literally. */
  readonly agents: readonly string[];
  /** Patterns of tools of the server; empty: all that the policy allows. */
  readonly tools: readonly string[];
  /** Patterns of models that a request may name; empty: only the configured one. */
  readonly models: readonly string[];
  readonly roles: readonly string[];
}

/** Who sends a request that starts or continues a run, and with which rights. */
export interface Requester extends Authority {
  /** The user that it acts for. */
  readonly userId: string;
  readonly requestId: string;
  /** Whether it may decide approvals: `approvals:decide`. */
  readonly canDecide: boolean;
  /** How many runs its credential may start, where that differs from the limits of a user. Per minute. */
  readonly runsPerMinute?: number;
  /** Whether it may answer an agent's own questions: `runs:write`. */
  readonly canWrite: boolean;
}

/** What a run keeps of whoever started it. */
export function authorityOf({ actor, agents, tools, models, roles }: Requester): Authority {
  return { actor, agents, tools, models, roles };
}

/** True if an agent may be run. @param isInternal only a key that names an internal agent literally may run it */
export function mayRunAgent({ actor, agents }: Authority, name: string, isInternal: boolean): boolean {
  if (isInternal) return actor.kind === 'key' && agents.includes(name);
  return agents.length === 0 || matches(agents, name);
}

/** True if a tool of the server may be called. */
export function mayUseTool({ tools }: Authority, name: string): boolean {
  return tools.length === 0 || matches(tools, name);
}

/** True if a request may name a model. @param configured the model of requests that name none */
export function mayUseModel({ models }: Authority, name: string, configured: string): boolean {
  return name === configured || matches(models, name);
}

/** True if two actors are the same one: keys of one account are. */
export function isSameActor(a: Actor, b: Actor): boolean {
  if (a.kind !== b.kind) return false;
  return a.id === b.id || (a.account !== undefined && a.account === b.account);
}

function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, name, { question: false }));
}
