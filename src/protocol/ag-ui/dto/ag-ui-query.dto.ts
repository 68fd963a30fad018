import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { KEY_CASES } from '../../ag-ui-events/index.js';

const POLICIES = ['reject', 'enqueue', 'interrupt', 'rollback'] as const;
const DISCONNECTS = ['continue', 'cancel'] as const;

/** The query parameters of `/ag-ui`. */
export class AgUiQueryDto {
  @ApiPropertyOptional({
    enum: KEY_CASES,
    description:
      'The spelling of event keys: camelCase, both spellings, or snake_case. `auto`: camelCase for clients that send protocolVersion, both for others. Default: AGUI_KEY_CASE.',
  })
  @IsOptional()
  @IsIn(KEY_CASES)
  readonly key_case?: (typeof KEY_CASES)[number];

  @ApiPropertyOptional({
    enum: POLICIES,
    description:
      'If a run of the thread is in progress: refuse this run, let it wait, cancel the other run and keep its work, or cancel it and remove its work. Default: AGUI_BUSY_POLICY.',
  })
  @IsOptional()
  @IsIn(POLICIES)
  readonly multitask?: (typeof POLICIES)[number];

  @ApiPropertyOptional({
    enum: DISCONNECTS,
    description: 'Whether the run continues when the client disconnects. Default: AGUI_ON_DISCONNECT.',
  })
  @IsOptional()
  @IsIn(DISCONNECTS)
  readonly on_disconnect?: (typeof DISCONNECTS)[number];
}
