import { jsonCharacters, jsonString } from '../../common/index.js';
import type { AgUiEvent } from './ag-ui.types.js';

type Piece = Extract<AgUiEvent, { readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT' }>;

/** The JSON of the last piece up to its text: the pieces of one message mostly come one after another. */
let last = { type: '', messageId: '', head: '' };

/**
 * An event as JSON. Equal to `JSON.stringify`, but faster for pieces of text, of which most streams consist.
 *
 * @param more further members, as JSON with a comma before them
 */
export function eventJson(event: AgUiEvent, more = ''): string {
  if (!isPiece(event)) return more === '' ? JSON.stringify(event) : `${JSON.stringify(event).slice(0, -1)}${more}}`;
  const { type, messageId, delta } = event;
  if (last.type !== type || last.messageId !== messageId) last = { type, messageId, head: headOf(type, messageId) };
  return `${last.head}${jsonCharacters(delta)}"${more}}`;
}

/** A piece of the run's own agent: those of subagents have one more member. */
function isPiece(event: AgUiEvent): event is Piece {
  const { type } = event;
  return (type === 'TEXT_MESSAGE_CONTENT' || type === 'REASONING_MESSAGE_CONTENT') && !('subagentRunId' in event);
}

/** Joined, so that it is one text in memory: parts would be put together again with every piece. */
function headOf(type: string, messageId: string): string {
  return [`{"type":"${type}","messageId":`, jsonString(messageId), ',"delta":"'].join('');
}
