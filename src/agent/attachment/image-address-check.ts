import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/index.js';
import type { Content, Message } from '../../events/index.js';
import { AttachmentSettings } from './attachment.settings.js';
import { SignedUrls } from './signed-urls.js';

/** How messages were sent. */
export interface MessageSource {
  /** The field of the request that holds the messages, for errors. */
  readonly field: string;
  /** The fields of the addresses themselves, by the id of the message and the index of the content, where they are known. */
  readonly paths?: ReadonlyMap<string, ReadonlyMap<number, string>> | undefined;
  /** Whether the server knows who sent them. */
  readonly isAuthenticated: boolean;
}

/**
 * Decides which addresses of images, videos and files messages may have: the model server fetches them, and may reach what
 * clients cannot (contract access, section 10, rule 1).
 */
@Injectable()
export class ImageAddressCheck {
  constructor(
    private readonly settings: AttachmentSettings,
    private readonly urls: SignedUrls,
  ) {}

  /**
   * Checks the images, videos and files of all messages but those of the assistant. Nothing is fetched.
   *
   * @throws AppError INVALID_PARAMETER naming the field of the first http or https address that is not allowed
   */
  check(messages: readonly Message[], { field, paths, isAuthenticated }: MessageSource): void {
    const allowed = this.settings.imageUrls ?? (isAuthenticated ? 'own' : 'any');
    if (allowed === 'any') return;
    for (const [index, { id, role, content }] of messages.entries()) {
      // Clients send back what agents wrote; models get no images of it.
      if (role === 'assistant') continue;
      for (const [part, one] of (content ?? []).entries()) {
        const [name, url] = addressOf(one);
        if (url === undefined || this.isAllowed(url, allowed)) continue;
        const path = paths?.get(id)?.get(part) ?? `${field}[${index}].content[${part}].${name}`;
        const message = `${path} is an address that is not allowed: ${EXPECTATIONS[allowed]}`;
        throw new AppError('INVALID_PARAMETER', message, { details: [{ path, message }] });
      }
    }
  }

  private isAllowed(given: string, allowed: 'own' | 'hosts'): boolean {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) return true;
    if (this.urls.isAtOwnAddress(given)) return true;
    return allowed === 'hosts' && this.settings.imageUrlHosts.includes(url.hostname);
  }
}

/** What is allowed instead, for the error. */
const EXPECTATIONS = {
  own: 'send a data: URL, or upload the image',
  hosts: 'send a data: URL, upload the image, or use one of the hosts of IMAGE_URL_HOSTS',
} as const;

/** The field of a content that the model server may fetch, and its value. */
function addressOf(content: Content): readonly [name: string, url?: string] {
  if (content.type === 'image') return ['image_url', content.image_url ?? undefined];
  if (content.type === 'video') return ['video_url', content.video_url ?? undefined];
  if (content.type === 'file') return ['file_url', content.file_url ?? undefined];
  return ['content'];
}
