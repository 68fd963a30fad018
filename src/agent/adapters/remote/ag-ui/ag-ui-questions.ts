import { isPlainObject } from '../../../../common/index.js';
import { asObject, asText, type Fields, objectAt, textAt } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { type Answering, answeringText, DECISION_MEMBERS, mastraId } from './ag-ui-answers.js';
import { either } from './ag-ui-fields.js';

/** A call whose arguments are coming. */
export interface OpenCall {
  readonly name: string;
  arguments: string;
}

/** What questions are about. */
export interface Asking {
  /** The calls of the run, by their ids. */
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly writer: RemoteWriter;
  /** Where the answers go. */
  readonly channel: Answering['channel'];
}

/** The custom event that was an interrupt before runs could end with one: LangGraph and Mastra send it. */
export const OLDER_INTERRUPT = 'on_interrupt';

/** The longest JSON that is shown as a question, in characters. */
const LONGEST_SHOWN = 2000;
/** Members of an interrupt's own value that are a question to a person. */
const QUESTION_FIELDS = ['message', 'question', 'prompt', 'reason'] as const;

/** What is decided with yes or no about a call is an approval, and everything else a question. */
function askFor(interrupts: readonly Fields[], asking: Asking): void {
  const { writer, channel } = asking;
  for (const [index, one] of interrupts.entries()) {
    const shape = decisionShape(one, writer);
    if (shape !== undefined) {
      askApproval(one, shape, asking);
      continue;
    }
    const schema = objectAt(one, 'responseSchema');
    const reason = textAt(objectAt(one, 'metadata'), 'reason') ?? textAt(one, 'reason') ?? 'input_required';
    writer.question({
      key: answeringText({ id: textAt(one, 'id') ?? String(index), channel, shape: 'value' }),
      reason,
      message: textAt(one, 'message') || questionIn(one) || reason,
      ...(Object.keys(schema).length > 0 && { responseSchema: asObject(schema) }),
    });
  }
}

/**
 * The custom event `on_interrupt` as the interrupt that newer servers end the run with.
 *
 * @param value of the event: JSON text or anything else
 */
function interruptOf(value: unknown): Fields {
  const raw = parsed(value);
  if (!isPlainObject(raw)) return { id: '', message: asText(raw), metadata: { langgraph: { raw } } };
  const [callId, runId] = [either(raw, 'toolCallId'), either(raw, 'runId')];
  const isMastra = callId !== undefined && runId !== undefined;
  const schema = parsed(raw['resumeSchema'] ?? raw['responseSchema'] ?? raw['response_schema']);
  return {
    id: isMastra ? mastraId(runId, callId) : '',
    reason: isMastra ? 'mastra:tool_suspend' : textAt(raw, 'reason'),
    message: textAt(raw, 'message'),
    toolCallId: callId,
    responseSchema: schema,
    metadata: isMastra ? { mastra: raw } : { langgraph: { raw } },
  };
}

/**
 * Asks what a run has suspended for that ended without an outcome. Such a server takes one answer at a time: of several
 * the first is asked, unless they have ids to answer them by.
 *
 * @param events the custom events `on_interrupt`
 * @returns those that are not asked
 */
export function askSuspended(events: readonly Fields[], asking: Omit<Asking, 'channel'>): readonly Fields[] {
  const [first, ...others] = events;
  if (!first) return [];
  const own = asInterrupt(first['value']);
  if (own) {
    askFor([own], { ...asking, channel: 'resume' });
    return others;
  }
  const named = events.map((event): Fields => {
    return { ...interruptOf(event['value']), id: textAt(objectAt(event, 'rawEvent'), 'id') };
  });
  const areAll = others.length > 0 && named.every(({ id }) => isGraphId(id));
  askFor(areAll ? named : [interruptOf(first['value'])], { ...asking, channel: areAll ? 'map' : 'command' });
  return areAll ? [] : others;
}

/** Asks what a run has ended with. LangGraph takes several answers by their ids alone, which its server does not do. */
export function askOutcome(interrupts: readonly Fields[], asking: Omit<Asking, 'channel'>): void {
  const areGraphs = interrupts.every((one) => 'langgraph' in objectAt(one, 'metadata') && isGraphId(one['id']));
  askFor(interrupts, { ...asking, channel: interrupts.length > 1 && areGraphs ? 'map' : 'resume' });
}

/** An interrupt of CrewAI: its custom event has it whole, and it is answered by its id. */
function asInterrupt(value: unknown): Fields | undefined {
  const whole = parsed(value);
  return isPlainObject(whole) && 'crewai' in objectAt(whole, 'metadata') ? whole : undefined;
}

/** True for an id that LangGraph gives an interrupt: answers by other names would be one answer. */
function isGraphId(id: unknown): boolean {
  return typeof id === 'string' && /^[0-9a-f]{32}$/.test(id);
}

/** JSON text as its value; what is none as it is. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** What a question about a call is decided with, if its answer is yes or no; undefined for any other question. */
function decisionShape(interrupt: Fields, writer: RemoteWriter): Exclude<Answering['shape'], 'value'> | undefined {
  const callId = either(interrupt, 'toolCallId');
  if (callId === undefined) return undefined;
  const isCall = writer.knowsCall(callId) || textAt(interrupt, 'reason') === 'tool_call';
  if (!isCall && suspendedTool(interrupt) === undefined) return undefined;
  const schema = objectAt(interrupt, 'responseSchema');
  if (textAt(schema, 'type') === 'boolean') return 'boolean';
  const properties = objectAt(schema, 'properties');
  const named = DECISION_MEMBERS.find((name) => textAt(objectAt(properties, name), 'type') === 'boolean');
  return named ?? (Object.keys(schema).length === 0 ? 'approved' : undefined);
}

/** The tool of Mastra that has suspended. Mastra does not show its call before the result. */
function suspendedTool(interrupt: Fields): string | undefined {
  return textAt(objectAt(objectAt(interrupt, 'metadata'), 'mastra'), 'toolName');
}

function askApproval(interrupt: Fields, shape: Answering['shape'], { calls, writer, channel }: Asking): void {
  const callId = either(interrupt, 'toolCallId') ?? '';
  const known = calls.get(callId);
  const about = objectAt(interrupt, 'metadata');
  const suspended = objectAt(about, 'mastra');
  const label = textAt(about, 'serverLabel');
  const message = textAt(interrupt, 'message') || questionIn(interrupt);
  const given = textAt(about, 'arguments') ?? (isPlainObject(suspended['args']) ? asText(suspended['args']) : '{}');
  const tool = suspendedTool(interrupt);
  if (tool !== undefined && !writer.knowsCall(callId)) {
    const key = `call:${callId}`;
    writer.call(key, callId, tool);
    writer.args(key, given);
    writer.end(key);
  }
  writer.approval(answeringText({ id: textAt(interrupt, 'id') ?? callId, channel, shape }), {
    callId,
    name: known?.name ?? textAt(about, 'toolName') ?? tool ?? 'unknown_tool',
    arguments: known?.arguments.toWellFormed() || given,
    ...(label !== undefined && { label }),
    ...(message !== undefined && { message }),
  });
}

/** The question in what a tool of Mastra or a node of LangGraph has stopped with; undefined if there is nothing to show. */
function questionIn(interrupt: Fields): string | undefined {
  const about = objectAt(interrupt, 'metadata');
  const value = objectAt(about, 'mastra')['suspendPayload'] ?? objectAt(about, 'langgraph')['raw'];
  if (value === undefined || value === null) return undefined;
  if (!isPlainObject(value)) return asText(value).slice(0, LONGEST_SHOWN);
  const said = QUESTION_FIELDS.map((name) => textAt(value, name)).find((text) => text);
  if (said !== undefined) return said;
  return Object.keys(value).length === 0 ? undefined : asText(value).slice(0, LONGEST_SHOWN);
}
