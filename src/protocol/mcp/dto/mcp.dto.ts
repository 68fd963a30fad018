import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A message of JSON-RPC 2.0. */
export class McpMessageDto {
  @ApiProperty({ enum: ['2.0'] })
  readonly jsonrpc!: '2.0';

  @ApiPropertyOptional({ oneOf: [{ type: 'string' }, { type: 'integer' }], description: 'Of requests and answers.' })
  readonly id?: string | number;

  @ApiPropertyOptional({ description: 'Of requests and notifications.', example: 'tools/call' })
  readonly method?: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  readonly params?: object;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Of answers.' })
  readonly result?: object;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'Of answers that are errors.' })
  readonly error?: object;
}

/** What went wrong. */
export class McpErrorObjectDto {
  @ApiProperty({ type: 'integer', example: -32602 })
  readonly code!: number;

  @ApiProperty()
  readonly message!: string;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  readonly data?: object;
}

/** An answer that is an error. */
export class McpErrorDto {
  @ApiProperty({ enum: ['2.0'] })
  readonly jsonrpc!: '2.0';

  @ApiProperty({ oneOf: [{ type: 'string', nullable: true }, { type: 'integer' }] })
  readonly id!: string | number | null;

  @ApiProperty({ type: McpErrorObjectDto })
  readonly error!: McpErrorObjectDto;
}

/** The server as an OAuth resource. */
export class ResourceMetadataDto {
  @ApiProperty({ example: 'https://agents.example.org/mcp' })
  readonly resource!: string;

  @ApiProperty({ type: [String] })
  readonly authorization_servers!: string[];

  @ApiProperty({ type: [String] })
  readonly scopes_supported!: string[];

  @ApiProperty({ type: [String], example: ['header'] })
  readonly bearer_methods_supported!: string[];

  @ApiProperty({ example: 'Parley' })
  readonly resource_name!: string;
}
