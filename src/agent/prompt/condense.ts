import type { ModelMessage } from '../ports/model-client.js';
import { estimateTextTokens } from './token-estimate.js';

/** Begins the summary of a conversation whose user messages are kept next to it. */
const HEADING = 'Summary of the earlier conversation, condensed by the server:';
/** Begins the summary of a whole conversation. */
const WHOLE_HEADING = 'Summary of the whole conversation so far, condensed by the server:';
/** Stands for the lines for which there was no room. */
const OMISSION = '- […]';

/** Characters that a summary keeps of one text, of one tool output, and of the arguments of one call. */
const TEXT_LENGTH = 2000;
const OUTPUT_LENGTH = 500;
const ARGUMENTS_LENGTH = 200;

/** How a conversation is condensed. */
export interface CondenseOptions {
  /** `others`: without the user's messages, which are kept unchanged. */
  readonly whose: 'all' | 'others';
  /** The estimated tokens that the summary may have; the newest lines are kept. */
  readonly maxTokens: number;
}

/**
 * A conversation as one text: texts and tool calls in order, each shortened. Lines of an earlier summary are kept. No
 * model is called, so the same conversation always gives the same text. Empty if there is nothing to say.
 */
export function condense(messages: readonly ModelMessage[], { whose, maxTokens }: CondenseOptions): string {
  const lines = messages.filter(({ role }) => whose === 'all' || role !== 'user').flatMap(linesOf);
  if (lines.length === 0) return '';
  const heading = whose === 'all' ? WHOLE_HEADING : HEADING;
  return [heading, ...newest(lines, maxTokens - estimateTextTokens(heading))].join('\n');
}

/** True for a text of `condense` that stands for a whole conversation. */
export function isWholeSummary(text: string): boolean {
  return text.startsWith(`${WHOLE_HEADING}\n`);
}

/** The last lines within the budget, at least a part of the last one. */
function newest(lines: readonly string[], maxTokens: number): readonly string[] {
  const kept: string[] = [];
  let room = maxTokens;
  for (const line of lines.toReversed()) {
    room -= estimateTextTokens(line) + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  if (kept.length === lines.length) return kept;
  const last = lines.at(-1) ?? '';
  return kept.length === 0 ? [OMISSION, shortened(last, Math.max(maxTokens, 1))] : [OMISSION, ...kept];
}

function linesOf(message: ModelMessage): string[] {
  switch (message.role) {
    case 'system':
      return earlierLines(message.content) ?? [`- system: ${shortened(message.content, TEXT_LENGTH)}`];
    case 'user':
      return [`- user: ${shortened(textOf(message), TEXT_LENGTH)}`];
    case 'tool':
      return [`- tool output: ${shortened(message.content, OUTPUT_LENGTH)}`];
    case 'assistant':
      return [
        ...(message.content === '' ? [] : [`- assistant: ${shortened(message.content, TEXT_LENGTH)}`]),
        ...message.toolCalls.map(
          ({ name, arguments: text }) => `- called ${name} with ${shortened(text, ARGUMENTS_LENGTH)}`,
        ),
      ];
  }
}

/** The lines of an earlier summary; undefined for any other text. */
function earlierLines(text: string): string[] | undefined {
  const [heading, ...lines] = text.split('\n');
  return heading === HEADING || heading === WHOLE_HEADING ? lines.filter((line) => line !== OMISSION) : undefined;
}

function textOf({ content }: Extract<ModelMessage, { role: 'user' }>): string {
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ');
}

/** One line of limited length, so that a long text cannot fill the summary. */
function shortened(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  // A half of a character is no text.
  return line.length <= length ? line : `${line.slice(0, length).replace(/[\ud800-\udbff]$/, '')} […]`;
}
