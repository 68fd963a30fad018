import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { KEY_CASES } from '../../ag-ui-events/index.js';

const POLICIES = ['reject', 'enqueue', 'interrupt', 'rollback'] as const;
const DISCONNECTS = ['continue', 'cancel'] as const;

/** What a request of `/ag-ui` may ask for beside its body. */
export class AgUiQueryDto {
  @ApiPropertyOptional({
    enum: KEY_CASES,
    description:
      'How the keys of events are written: camelCase, with snake_case copies beside them, or snake_case. `auto`: camelCase for clients that send protocolVersion, both for others. AGUI_KEY_CASE unless said.',
  })
  @IsOptional()
  @IsIn(KEY_CASES)
  readonly key_case?: (typeof KEY_CASES)[number];

  @ApiPropertyOptional({
    enum: POLICIES,
    description:
      'When the thread has a run in progress: refuse this one, let it wait, stop that one and keep its work, or stop it and forget it. AGUI_BUSY_POLICY unless said.',
  })
  @IsOptional()
  @IsIn(POLICIES)
  readonly multitask?: (typeof POLICIES)[number];

  @ApiPropertyOptional({
    enum: DISCONNECTS,
    description: 'Whether the run goes on when its client leaves. AGUI_ON_DISCONNECT unless said.',
  })
  @IsOptional()
  @IsIn(DISCONNECTS)
  readonly on_disconnect?: (typeof DISCONNECTS)[number];
}
