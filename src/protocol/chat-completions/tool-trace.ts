import type { Message } from '../../events/index.js';
import type { ToolTrace } from './chat-completions.settings.js';
import { type CallData, callDataOf } from './told-calls.js';

/** Characters of the arguments of a call in its line. */
const ARGUMENTS_LENGTH = 200;

/** One step of a call of the server's tools, as a client sees it. */
export interface TraceStep {
  /** A line of text with its line break. */
  readonly line: string;
  readonly isDone: boolean;
}

/**
 * The calls of the server's tools as a client sees them: when they begin and how they end, never their results
 * (contract chat-completions, section C1).
 */
export class CallTrace {
  /** The names of calls by id, and of subagents. */
  private readonly names = new Map<string, string>();
  private readonly subagents = new Map<string, string>();

  constructor(readonly kind: ToolTrace) {}

  /** A subagent that the metadata of later messages names by its id. */
  subagent(id: string, name: string): void {
    this.subagents.set(id, name);
  }

  /** A call of the server has been written. */
  begun(message: Message, call: CallData = callDataOf(message)): TraceStep {
    this.names.set(call.callId, call.name);
    const args = call.arguments.replace(/\s+/g, ' ').trim();
    const shown = args.length > ARGUMENTS_LENGTH ? `${args.slice(0, ARGUMENTS_LENGTH).toWellFormed()}…` : args;
    return { line: `${this.prefix(message)}${call.name}${shown === '' ? '' : ` ${shown}`}\n`, isDone: false };
  }

  /** A call of the server has its output. */
  ended(output: Message): TraceStep {
    const { callId, name } = callDataOf(output);
    const { metadata } = output;
    const outcome = metadata?.['denied'] === true ? 'denied' : metadata?.['is_error'] === true ? 'failed' : 'done';
    return { line: `${this.prefix(output)}${this.names.get(callId) ?? name} ${outcome}\n`, isDone: true };
  }

  private prefix({ metadata }: Message): string {
    const id = metadata?.['subagent_id'];
    const name = typeof id === 'string' ? this.subagents.get(id) : undefined;
    return name === undefined ? '' : `${name}: `;
  }
}
