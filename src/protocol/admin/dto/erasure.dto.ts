import { ApiProperty } from '@nestjs/swagger';
import type { ErasedCounts, ErasureStatus } from '../../../data-protection/index.js';

/** An erasure that was asked for. */
export class RequestedErasureDto {
  @ApiProperty({ format: 'uuid' })
  jobId!: string;
}

/** The receipt of an erasure: no content, and no name. */
export class ErasureDto {
  @ApiProperty({ format: 'uuid' })
  jobId!: string;

  @ApiProperty({
    enum: ['erasing', 'clearing', 'done'],
    description:
      'While it is `erasing`, the user can store nothing. `clearing`: all rows are removed, their bytes in the files of the database may not be.',
  })
  status!: ErasureStatus;

  @ApiProperty({ format: 'date-time' })
  requestedAt!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finishedAt!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { sessions: 2, messages: 14, attachments: 1, usageEntriesKept: 7 },
    description:
      'How many rows of each kind were removed so far. Kinds that end in `Kept` were kept, under a pseudonym. Kinds without rows are left out.',
  })
  counts!: ErasedCounts;
}
