import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsObject, IsOptional, IsString, Length } from 'class-validator';
import { AnyJson } from '../../http/bodies/dto.pipe.js';
import { ApprovalDto } from './approval.dto.js';

/** Who may decide an approval, by the rule of the policy that asked for it. */
export class ApproversDto {
  @ApiProperty({ type: [String], description: 'Patterns of role names, of which one must match; empty: any role.' })
  roles!: readonly string[];

  @ApiProperty({ description: 'Whether somebody else than the owner and the starter of the run has to decide.' })
  notOwner!: boolean;
}

/** An interrupt: an approval, or an input that an agent asked for. */
export class InterruptDto extends ApprovalDto {
  @ApiProperty({ enum: ['approval', 'input'] })
  kind!: 'approval' | 'input';

  @ApiProperty({ type: Object, nullable: true, description: 'The JSON Schema of the input.' })
  responseSchema!: object | null;

  @ApiProperty({ example: 'alice', description: 'The user whose run asks.' })
  userId!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'worker',
    description: 'The agent; null once the run is removed.',
  })
  agent!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Add lunch to my calendar',
    description: 'The first 200 characters of the text of the user that led to it.',
  })
  request!: string | null;

  @ApiProperty({ type: ApproversDto, nullable: true, description: 'null: whoever may decide approvals.' })
  approvers!: ApproversDto | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'The scope approvals:decide is required',
    description: 'Why the caller may not answer it; null if it may, and once it no longer waits.',
  })
  refusal!: string | null;
}

/** One page of interrupts, newest first. */
export class InterruptListDto {
  @ApiProperty({ type: [InterruptDto] })
  data!: readonly InterruptDto[];

  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last page.' })
  nextCursor!: string | null;
}

/** The body of `POST /interrupts/{id}`: an input, a decision, or `cancel`. */
export class InterruptAnswerDto {
  @ApiPropertyOptional({
    description: 'The input: any JSON that matches the response schema.',
    example: { seat: '12A' },
  })
  @AnyJson()
  payload?: unknown;

  @ApiPropertyOptional({ description: 'true: nobody will answer. An approval is denied then.' })
  @IsOptional()
  @IsBoolean({ message: 'cancel must be true or false' })
  cancel?: boolean;

  @ApiPropertyOptional({ description: 'The decision about an approval.' })
  @IsOptional()
  @IsBoolean({ message: 'approve must be true or false' })
  approve?: boolean;

  @ApiPropertyOptional({ maxLength: 2000 })
  @IsOptional()
  @IsString({ message: 'reason must be a string' })
  @Length(0, 2000, { message: 'reason must have at most 2000 characters' })
  reason?: string;

  @ApiPropertyOptional({ type: Object, description: 'Replaces all arguments of the call, if `mayEdit` is true.' })
  @IsOptional()
  @IsObject({ message: 'arguments must be an object' })
  arguments?: object;
}
