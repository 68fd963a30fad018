import { Injectable } from '@nestjs/common';
import { AttachmentService, parseReference } from '../../agent/attachment/index.js';
import type { Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import type { BinaryBlock, RunInput } from './input/run-input.js';
import { RunsError } from './runs.errors.js';

/** The end of a signed URL's path, and of the address without a signature. */
const CONTENT_PATH = /\/attachments\/([0-9a-f-]{36})\/content$/;

/** Turns the signed URLs of a user message into what the ledger keeps of them (contract runs-api, section 7). */
@Injectable()
export class AttachmentLocator {
  constructor(
    private readonly attachments: AttachmentService,
    private readonly runs: Runs,
  ) {}

  /**
   * The references of the attachments, in their order. Nothing is fetched. A request that was accepted
   * before may be repeated after its URLs have expired.
   *
   * @throws AppError ATTACHMENT_URL_INVALID
   */
  async locate(principal: Principal, input: RunInput): Promise<readonly string[]> {
    const references: string[] = [];
    for (const block of input.user.blocks) {
      if (block.type === 'text') continue;
      const { url, mimeType } = block;
      const reference =
        (await this.attachments.resolve(principal, url, mimeType)) ?? (await this.accepted(principal, input, block));
      if (reference === undefined) throw new RunsError('ATTACHMENT_URL_INVALID');
      references.push(reference);
    }
    return references;
  }

  /** What the URL stood for when this very run was accepted. */
  private async accepted(principal: Principal, input: RunInput, block: BinaryBlock): Promise<string | undefined> {
    const id = URL.canParse(block.url) ? CONTENT_PATH.exec(new URL(block.url).pathname)?.[1] : undefined;
    if (id === undefined) return undefined;
    const run = await this.runs.findByKey(principal, input.threadId, input.runId);
    const references = run?.wireData['references'];
    if (!Array.isArray(references)) return undefined;
    return references.find((known): known is string => typeof known === 'string' && parseReference(known)?.id === id);
  }
}
