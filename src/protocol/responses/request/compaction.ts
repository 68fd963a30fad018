import type { Message } from '../../../events/index.js';
import { partText } from '../items/part-text.js';
import { callData, isOutput, isServerCall, outputData } from '../items/tool-data.js';

/** A compacted conversation is never longer than this. */
const MAX_LENGTH = 1024 * 1024;
/** What is kept of one answer and of one tool's output, in characters. */
const ANSWER_LENGTH = 2000;
const OUTPUT_LENGTH = 500;
const ARGUMENTS_LENGTH = 200;

const HEADING = 'Summary of the earlier conversation, condensed by the server:';

/**
 * What a compacted conversation keeps of the messages that are no user's: answers and tool traffic,
 * each cut to a bound, in order; reasoning is dropped. No model is asked, so the same conversation
 * always gives the same text.
 */
export function condense(messages: readonly Message[]): string {
  const lines = messages.flatMap(lineOf);
  return lines.length === 0 ? '' : [HEADING, ...lines].join('\n').slice(0, MAX_LENGTH);
}

function lineOf(message: Message): string[] {
  const { type, role } = message;
  if (type === 'message')
    return role === 'user' ? [] : [`- ${role ?? 'assistant'}: ${cut(said(message), ANSWER_LENGTH)}`];
  if (isOutput(type)) return [`- tool output: ${cut(outputData(message).output, OUTPUT_LENGTH)}`];
  if (!isServerCall(type) && type !== 'function_call') return [];
  const call = callData(message, '');
  return [`- called ${call.name} with ${cut(call.arguments, ARGUMENTS_LENGTH)}`];
}

function said(message: Message): string {
  return (message.content ?? []).map(partText).join(' ');
}

function cut(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length)} […]`;
}
