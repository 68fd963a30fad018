import { AppError, fingerprint, type Json } from '../../common/index.js';
import { type AgentEvent, type ErrorModel, SUBAGENT_ID, textOf, withMetadata } from '../../events/index.js';
import type { AgentContext } from '../agent.js';
import { PartJournal } from './part-journal.js';

/** What is said of a subagent when it begins. */
export interface SubagentOptions {
  /** For people: which agent it is. */
  readonly name: string;
  readonly description?: string;
  /** The tool call that asked for it. */
  readonly callId?: string;
  /**
   * Tells it from others of this context, the same on every attempt. Default: the name, counted in the
   * order they begin; to be given when that order may change, as with subagents that work in parallel.
   */
  readonly key?: string;
}

/** A part of a run that another agent does. */
export interface Subagent {
  /** Unique among all subagents of all runs. */
  readonly id: string;
  /** What the subagent runs with: everything written through it is shown as its own. */
  readonly context: AgentContext;
  /** What it has said so far, thoughts and tools left out. */
  text(): string;
  /** It has done its part. Again: nothing. */
  finish(result?: Json): void;
  /** It could not; the run itself goes on. After its end: nothing. */
  fail(error: ErrorModel): void;
}

/** The paths in use, of one execution of a run. */
const paths = new WeakMap<AbortSignal, Set<string>>();

/**
 * Begins a part of the run that another agent does (contract ag-ui, section 1.3). Its context
 * writes into the same run; its steps have a part of the journal to themselves. It waits for nobody's tools:
 * client tools stay with the run's own agent. What is not ended when the run ends is ended with it.
 *
 * @throws AppError AGENT_ERROR when the key is taken
 */
export function beginSubagent(context: AgentContext, options: SubagentOptions): Subagent {
  const path = pathOf(context, options);
  const id = `subagent_${fingerprint([context.runId, path]).slice(0, 32)}`;
  const { name, description, callId } = options;
  context.emit({
    object: 'subagent',
    status: 'started',
    id,
    name,
    ...(description !== undefined && { description }),
    ...(context.subagent && { parent_id: context.subagent.id }),
    ...(callId !== undefined && { call_id: callId }),
  });
  let isOver = false;
  const end = (event: AgentEvent): void => {
    if (!isOver) context.emit(event);
    isOver = true;
  };
  return {
    id,
    context: contextOf(context, id, path),
    text: () => textBy(context, id),
    finish: (result) => end({ object: 'subagent', status: 'finished', id, ...(result !== undefined && { result }) }),
    fail: ({ code, message }) => end({ object: 'subagent', status: 'failed', id, error: { code, message } }),
  };
}

function pathOf({ signal, subagent }: AgentContext, { name, key }: SubagentOptions): string {
  const taken = paths.get(signal) ?? new Set();
  paths.set(signal, taken);
  const base = subagent ? `${subagent.path}/` : '';
  let path = `${base}${key ?? `${name}:0`}`;
  if (key === undefined) for (let count = 1; taken.has(path); count += 1) path = `${base}${name}:${count}`;
  else if (taken.has(path)) throw new AppError('AGENT_ERROR', `Two subagents have the key ${key}`);
  taken.add(path);
  return path;
}

function contextOf(context: AgentContext, id: string, path: string): AgentContext {
  return {
    ...context,
    subagent: { id, path },
    clientTools: [],
    response: withMetadata(context.response, { [SUBAGENT_ID]: id }),
    journal: new PartJournal(context.journal, `${fingerprint(path).slice(0, 16)}/`),
    emit: (event) => context.emit(ownedBy(event, id)),
  };
}

function textBy({ response }: AgentContext, id: string): string {
  return (response.getResponseData().output ?? [])
    .filter(({ type, role, metadata }) => type === 'message' && role === 'assistant' && metadata?.[SUBAGENT_ID] === id)
    .map(textOf)
    .join('\n\n');
}

/** Events of the builder say it in their message, and those of a part within this one know their own. */
function ownedBy(event: AgentEvent, id: string): AgentEvent {
  switch (event.object) {
    case 'state':
    case 'step':
    case 'activity':
    case 'custom':
    case 'raw':
      return event.subagent_id === undefined ? { ...event, subagent_id: id } : event;
    default:
      return event;
  }
}
