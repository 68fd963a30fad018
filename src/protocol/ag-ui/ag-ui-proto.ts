import { AGUI_MEDIA_TYPE, EventEncoder } from '@ag-ui/encoder';
import type { AgUiEvent } from '../ag-ui-events/index.js';

/** The media type of the binary stream, exactly as its responses must name it: clients compare it as a whole. */
export const AG_UI_PROTO_TYPE = AGUI_MEDIA_TYPE;

const encoder = new EventEncoder({ accept: AGUI_MEDIA_TYPE });

/** One event of the binary stream, its length in four bytes and then the event, as one character for each byte. */
export function protoFrame(event: AgUiEvent): string {
  const bytes = encoder.encodeBinary(event as Parameters<EventEncoder['encodeBinary']>[0]);
  return Buffer.from(bytes).toString('latin1');
}

/**
 * Whether a client requests the binary stream: `Accept` names its type, with a quality not below that of
 * `text/event-stream`. Wildcards mean text (contract ag-ui, section 1.4).
 */
export function wantsProto(accept: string | undefined): boolean {
  const qualities = new Map<string, number>();
  for (const range of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    qualities.set(type, q === undefined ? 1 : Number(q) || 0);
  }
  const proto = qualities.get(AG_UI_PROTO_TYPE) ?? 0;
  return proto > 0 && proto >= (qualities.get('text/event-stream') ?? 0);
}
