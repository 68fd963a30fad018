import { ApiProperty } from '@nestjs/swagger';

/** An uploaded image in a list. */
export class ListedAttachmentDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'alice' })
  userId!: string;

  @ApiProperty({ example: 'receipt.png' })
  filename!: string;

  @ApiProperty({ example: 'image/png' })
  mimeType!: string;

  @ApiProperty({ example: 48213, description: 'Bytes.' })
  size!: number;

  @ApiProperty({ example: 1280 })
  width!: number;

  @ApiProperty({ example: 720 })
  height!: number;

  @ApiProperty({ description: 'Of the bytes, as hex.' })
  sha256!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it is deleted; null while a session refers to it.',
  })
  deleteAfter!: string | null;

  @ApiProperty({ description: 'A signed URL of the content, made for this answer.' })
  url!: string;

  @ApiProperty({ format: 'date-time', description: 'Until when the URL works.' })
  urlExpiresAt!: string;
}

/** One page of attachments. */
export class AttachmentListDto {
  @ApiProperty({ type: [ListedAttachmentDto] })
  data!: readonly ListedAttachmentDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}
