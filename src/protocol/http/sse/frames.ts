const LINE_BREAK = /[\r\n]/;
const LINE_BREAKS = /\r\n|\r|\n/g;

/** The last frame of an Agent API stream (contract agent-api, section 0, rule 3). */
export const DONE_FRAME = 'data: [DONE]\n\n';

/** The keep-alive frame. Only a comment is safe with every known reader (contract agent-api, section 0, rule 4). */
export const PING_FRAME = commentFrame('ping');

/** The frame that carries the headers out when the first event is late. */
export const OPENING_FRAME = commentFrame('open');

/**
 * A frame of one `data:` line. JSON text never holds a raw line break, so it passes as it is; any
 * other text is split over several `data:` lines, which a reader joins with line feeds.
 */
export function dataFrame(json: string): string {
  return LINE_BREAK.test(json) ? `data: ${json.replace(LINE_BREAKS, '\ndata: ')}\n\n` : `data: ${json}\n\n`;
}

/** A comment frame, which every reader skips. Line breaks in the text become spaces. */
export function commentFrame(text: string): string {
  return `: ${text.replace(LINE_BREAKS, ' ')}\n\n`;
}

/**
 * A frame with an event name, an id, or both.
 *
 * @throws TypeError when `event` or `id` holds a line break or a NUL: either could forge a frame
 */
export function eventFrame(json: string, fields: { event?: string; id?: string }): string {
  return `${fieldLine('event', fields.event)}${fieldLine('id', fields.id)}${dataFrame(json)}`;
}

function fieldLine(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  if (LINE_BREAK.test(value) || value.includes('\0')) throw new TypeError(`An SSE ${name} must be one line`);
  return `${name}: ${value}\n`;
}
