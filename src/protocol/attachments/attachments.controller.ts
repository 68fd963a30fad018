import { Controller, Get, Param, Post, Query, Req, Res, StreamableFile } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Caller, namedUser, Needs, OwnerRates, Public } from '../../access/index.js';
import { AttachmentService, AttachmentSettings, signatureOf } from '../../agent/attachment/index.js';
import { AppError, Clock, isoTime } from '../../common/index.js';
import { DtoPipe } from '../http/index.js';
import { AttachmentDto, AttachmentErrorDto, AttachmentQueryDto, AttachmentUploadDto } from './dto/attachment.dto.js';
import { UPLOAD_PATH } from './upload-body.js';
import { readUpload } from './upload.reader.js';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const THREAD_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Images for messages (contract runs-api, section 7). */
@ApiTags('Attachments')
@Controller(UPLOAD_PATH.slice(1))
export class AttachmentsController {
  constructor(
    private readonly attachments: AttachmentService,
    private readonly settings: AttachmentSettings,
    private readonly rates: OwnerRates,
    private readonly clock: Clock,
  ) {}

  @Post()
  @Needs('runs:write')
  @ApiOperation({
    summary: 'Upload an image',
    description: 'The type is determined from the bytes. An image that no message refers to is deleted after 24 hours.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: AttachmentUploadDto })
  @ApiCreatedResponse({ type: AttachmentDto })
  @ApiResponse({ status: 413, description: 'The file is too large.', type: AttachmentErrorDto })
  @ApiResponse({
    status: 415,
    description: 'The body is not multipart, or the file is not an accepted image type.',
    type: AttachmentErrorDto,
  })
  @ApiResponse({ status: 422, description: 'The file is missing, empty or broken.', type: AttachmentErrorDto })
  async upload(
    @Req() request: FastifyRequest,
    @Query(DtoPipe) { user_id: userId }: AttachmentQueryDto,
    @Caller() caller: Caller,
  ): Promise<AttachmentDto> {
    const { file, fields } = await readUpload(request, this.settings.maxBytes);
    if (fields['threadId'] !== undefined && !THREAD_ID.test(fields['threadId'])) {
      throw new AppError('ATTACHMENT_INVALID', 'threadId must be a valid UUID');
    }
    const owner = caller.actingFor(namedUser('user_id', userId));
    await this.rates.countUpload(owner, file.bytes.length);
    const { attachment, signed } = await this.attachments.upload(owner, file);
    const { id, mimeType, filename, size, sha256 } = attachment;
    return {
      id,
      mimeType,
      filename,
      size,
      sha256,
      url: signed.url,
      expiresAt: isoTime(signed.expiresAt),
    };
  }

  @Get(':id/content')
  @Public()
  @ApiOperation({ summary: 'Read an image', description: 'By its signed URL.' })
  @ApiQuery({ name: 'exp', description: 'Seconds since the epoch.', type: Number })
  @ApiQuery({ name: 'kid', type: String })
  @ApiQuery({ name: 'sig', type: String })
  @ApiResponse({
    status: 200,
    description: 'The bytes.',
    content: { 'image/*': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiResponse({ status: 403, description: 'The signature has expired.', type: AttachmentErrorDto })
  @ApiResponse({
    status: 404,
    description: 'Attachment not found, or without a valid signature.',
    type: AttachmentErrorDto,
  })
  async read(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    if (!ID.test(id)) throw new AppError('ATTACHMENT_NOT_FOUND');
    const signature = signatureOf(new URL(request.url, 'http://localhost').searchParams);
    const { attachment, bytes } = await this.attachments.open(id, signature);
    const left = Math.max(0, (signature?.exp ?? 0) - Math.ceil(this.clock.now() / 1000));
    reply.header('cache-control', `private, max-age=${left}`);
    // What it shows belongs to a user: it runs nothing, and nobody else gets its signed address.
    reply.header('content-security-policy', "sandbox; default-src 'none'");
    const disposition = `inline; filename*=UTF-8''${encodeURIComponent(attachment.filename).replace(/['()*]/g, hex)}`;
    return new StreamableFile(bytes, { type: attachment.mimeType, disposition, length: bytes.length });
  }
}

/** RFC 8187 wants these escaped too. */
function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
