import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { UserIdQuery } from '../../http/bodies/query-checks.js';

/** The query of an attachment: its user. */
export class AttachmentQueryDto {
  @UserIdQuery()
  user_id?: string;
}

/** An attachment that was kept. */
export class AttachmentDto {
  @ApiProperty({ format: 'uuid', example: '6f1c2a3e-9b1d-4c7e-8a53-0d2f5c1b7e90' })
  id!: string;

  @ApiProperty({ example: 'image/png', description: 'Determined from the bytes.' })
  mimeType!: string;

  @ApiProperty({ example: 'sketch.png' })
  filename!: string;

  @ApiProperty({ example: 68_123, description: 'Bytes.' })
  size!: number;

  @ApiProperty({ description: 'SHA-256 of the bytes, hex.' })
  sha256!: string;

  @ApiProperty({ description: 'Signed URL, for the url of an image in a message or for display, until it expires.' })
  url!: string;

  @ApiProperty({ format: 'date-time', example: '2026-03-16T17:12:33.000Z' })
  expiresAt!: string;
}

/** The body of an upload. */
export class AttachmentUploadDto {
  @ApiProperty({ type: 'string', format: 'binary', description: 'PNG, JPEG, WebP, GIF, HEIC or AVIF.' })
  file!: unknown;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'The intended thread. The image may be used in any thread of the user.',
  })
  threadId?: string;
}

/** The body of a refusal. */
export class AttachmentErrorDto {
  @ApiProperty({ example: 'ATTACHMENT_TOO_LARGE' })
  code!: string;

  @ApiProperty({ example: 'The file exceeds the size limit of 10485760 bytes' })
  message!: string;
}
