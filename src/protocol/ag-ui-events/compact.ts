import type { AgUiEvent } from './ag-ui.types.js';

/** Joins neighbouring pieces of one message, call or reasoning: what a replay need not show piece by piece. */
export function compactEvents(events: readonly AgUiEvent[]): AgUiEvent[] {
  const compact: AgUiEvent[] = [];
  let pieces: string[] = [];
  let open: PieceEvent | undefined;
  const close = (): void => {
    if (open) compact.push({ ...open, delta: pieces.join('') });
    open = undefined;
    pieces = [];
  };
  for (const event of events) {
    if (!isPiece(event)) {
      close();
      compact.push(event);
    } else {
      if (!open || open.type !== event.type || ownerOf(open) !== ownerOf(event)) close();
      open ??= event;
      pieces.push(event.delta);
    }
  }
  close();
  return compact;
}

type PieceEvent = Extract<AgUiEvent, { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT' | 'TOOL_CALL_ARGS' }>;

function isPiece(event: AgUiEvent): event is PieceEvent {
  const { type } = event;
  return type === 'TEXT_MESSAGE_CONTENT' || type === 'REASONING_MESSAGE_CONTENT' || type === 'TOOL_CALL_ARGS';
}

function ownerOf(event: PieceEvent): string {
  return event.type === 'TOOL_CALL_ARGS' ? event.toolCallId : event.messageId;
}
