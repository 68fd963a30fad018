import { type AttachmentService, isAttachmentReference, parseReference } from '../../../agent/attachment/index.js';
import type { Principal } from '../../../common/index.js';
import { type Message, withImageUrls } from '../../../events/index.js';
import type { AddressImage } from './history-message.encoder.js';

const DATA_URL = /^data:([a-z0-9.+/-]+)[;,]/i;

/** Addresses of images for their owner: attachments are signed anew, what another wire brought is as it was. */
export function imageAddresses(attachments: AttachmentService, principal: Principal): AddressImage {
  return (url) => {
    if (!isAttachmentReference(url)) return { mimeType: DATA_URL.exec(url)?.[1]?.toLowerCase() ?? 'image/*', url };
    const signed = attachments.signIn(principal.tenantId, url);
    return signed && { mimeType: signed.mimeType, url: signed.url };
  };
}

/** Where an attachment is, without a signature: the same at every reading, and no internal path. */
export function plainAddress(reference: string): string {
  const place = parseReference(reference);
  return place ? `/api/v1/agent/attachments/${place.id}/content` : reference;
}

/** A message as events may show it: its attachments have plain addresses. */
export function withPlainAddresses(message: Message): Message {
  return withImageUrls(message, plainAddress);
}
