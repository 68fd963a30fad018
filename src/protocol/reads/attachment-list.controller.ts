import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { AttachmentSearch, AttachmentService, type StoredAttachment } from '../../agent/attachment/index.js';
import { Clock, isoTime, isoTimeOrNull } from '../../common/index.js';
import { DtoPipe } from '../http/index.js';
import { ReadRoute } from './api-docs.js';
import { AttachmentListDto, type ListedAttachmentDto } from './dto/attachment.dto.js';
import { PagedQueryDto } from './dto/queries.dto.js';
import { listReach } from './reading.js';

const DEFAULT_LIMIT = 50;

/** Uploaded images, for people who look at them (contract console, section 8). */
@ApiTags('Attachments')
@Needs('runs:read')
@Controller('api/v1/attachments')
export class AttachmentListController {
  constructor(
    private readonly search: AttachmentSearch,
    private readonly attachments: AttachmentService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOkResponse({ type: AttachmentListDto })
  @ReadRoute('List attachments', 'Those that the caller may read, newest first, each with a signed URL.', [400, 403])
  async list(
    @Query(DtoPipe) { user, limit, cursor }: PagedQueryDto,
    @Caller() caller: Caller,
  ): Promise<AttachmentListDto> {
    const { items, nextCursor = null } = await this.search.list(listReach(caller, user), {
      limit: Number(limit ?? DEFAULT_LIMIT),
      ...(cursor !== undefined && { cursor }),
      now: this.clock.now(),
    });
    return { data: items.flatMap((one) => this.shown(one)), nextCursor };
  }

  private shown(attachment: StoredAttachment): readonly ListedAttachmentDto[] {
    const signed = this.attachments.signStored(attachment);
    if (!signed) return [];
    const { id, userId, filename, mimeType, size, width, height, sha256 } = attachment;
    return [
      {
        id,
        userId,
        filename,
        mimeType,
        size,
        width,
        height,
        sha256,
        createdAt: isoTime(attachment.createdAt),
        deleteAfter: isoTimeOrNull(attachment.deleteAfter),
        url: signed.url,
        urlExpiresAt: isoTime(signed.expiresAt),
      },
    ];
  }
}
