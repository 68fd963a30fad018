import type { HistoryAttachment } from './history-message.encoder.js';

const DATA_URL = /^data:([a-z0-9.+/-]+)[;,]/i;

/** The address of an image that another wire brought: its own. */
export function imageAddress(url: string): HistoryAttachment | undefined {
  return { mimeType: DATA_URL.exec(url)?.[1]?.toLowerCase() ?? 'image/*', url };
}
