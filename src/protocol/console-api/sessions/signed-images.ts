import type { Message } from '../../../events/index.js';

/**
 * A message whose uploaded images have addresses that a browser can read for a while.
 *
 * @param sign the address of an attachment; undefined for anything else, which stays as it is
 */
export function withSignedImages(message: Message, sign: (reference: string) => string | undefined): Message {
  const content = message.content?.map((part) =>
    part.type === 'image' && part.image_url !== null
      ? { ...part, image_url: sign(part.image_url) ?? part.image_url }
      : part,
  );
  return content ? { ...message, content } : message;
}
