import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** An answer to an interrupt, as AG-UI writes it. */
export class ResumeEntryDto {
  @ApiProperty()
  interruptId!: string;

  @ApiProperty({ enum: ['resolved', 'cancelled'] })
  status!: 'resolved' | 'cancelled';

  @ApiPropertyOptional({
    description: 'For an approval: `{approved, reason?, editedArgs?}`. For an input: what its schema describes.',
    type: Object,
  })
  payload?: unknown;
}

/** The body of `POST /runs/{threadId}/{runId}/resume`. */
export class ResumeRequestDto {
  @ApiProperty({ type: [ResumeEntryDto] })
  resume!: readonly ResumeEntryDto[];

  @ApiPropertyOptional({
    maxLength: 128,
    description: 'The id of the run that continues. It makes the request repeatable.',
  })
  runId?: string;
}
