import { ApiProperty, getSchemaPath } from '@nestjs/swagger';

/** A piece of the answer; to be concatenated. */
export class AgKitTextEventDto {
  @ApiProperty({ enum: ['text'] })
  type!: 'text';

  @ApiProperty({ example: 'Hello' })
  content!: string;
}

/** A tool call begins, of the client or of the server: the client knows its own tools by name. */
export class AgKitCallStartEventDto {
  @ApiProperty({ enum: ['tool-call-start'] })
  type!: 'tool-call-start';

  @ApiProperty({ example: 'call_1' })
  toolCallId!: string;

  @ApiProperty({ example: 'set-background' })
  toolCallName!: string;
}

/** A piece of the call's arguments, which are JSON text. */
export class AgKitCallArgsEventDto {
  @ApiProperty({ enum: ['tool-call-args'] })
  type!: 'tool-call-args';

  @ApiProperty({ example: 'call_1' })
  toolCallId!: string;

  @ApiProperty({ example: '{"color":' })
  delta!: string;
}

/** The arguments of a call are complete. */
export class AgKitCallEndEventDto {
  @ApiProperty({ enum: ['tool-call-end'] })
  type!: 'tool-call-end';

  @ApiProperty({ example: 'call_1' })
  toolCallId!: string;
}

/** The server made the call. */
export class AgKitResultEventDto {
  @ApiProperty({ enum: ['tool-result'] })
  type!: 'tool-result';

  @ApiProperty({ example: 'call_1' })
  toolCallId!: string;

  @ApiProperty({ description: 'Text; values are JSON text.' })
  result!: string;
}

/** The run waits for a person; `resume` answers. Always the last event before `[DONE]`. */
export class AgKitInterruptEventDto {
  @ApiProperty({ enum: ['interrupt'] })
  type!: 'interrupt';

  @ApiProperty({ description: 'The id for `resume.interruptId`.' })
  id!: string;

  @ApiProperty()
  reason!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      '`type` is `approval` (with `toolCallId`, `toolName`, `arguments`, `mayEdit`) or `input` (with `responseSchema`). `others` is the number of further open interrupts.',
  })
  payload!: Record<string, unknown>;
}

/** The run failed, was cut or was canceled. */
export class AgKitErrorEventDto {
  @ApiProperty({ enum: ['error'] })
  type!: 'error';

  @ApiProperty()
  error!: string;
}

/** Every event of dialect A. */
export const AG_KIT_EVENT_DTOS = {
  text: AgKitTextEventDto,
  'tool-call-start': AgKitCallStartEventDto,
  'tool-call-args': AgKitCallArgsEventDto,
  'tool-call-end': AgKitCallEndEventDto,
  'tool-result': AgKitResultEventDto,
  interrupt: AgKitInterruptEventDto,
  error: AgKitErrorEventDto,
} as const;

/** Every shape of a `data:` line of dialect A, discriminated by `type`. */
export function agKitEventSchema() {
  const mapping = Object.fromEntries(
    Object.entries(AG_KIT_EVENT_DTOS).map(([type, dto]) => [type, getSchemaPath(dto)]),
  );
  return {
    oneOf: Object.values(AG_KIT_EVENT_DTOS).map((dto) => ({ $ref: getSchemaPath(dto) })),
    discriminator: { propertyName: 'type', mapping },
  };
}
