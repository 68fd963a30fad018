import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const anyObject = { type: 'object', additionalProperties: true } as const;

/** A request of an AG-UI client (contract ag-ui, section 1.1). It documents; the decoder decides. */
export class AgUiRunAgentInputDto {
  @ApiProperty({
    example: 'thread-1',
    maxLength: 256,
    description: 'The conversation, which is the session on other wires.',
  })
  threadId!: string;

  @ApiProperty({
    example: 'run-1',
    maxLength: 256,
    description: 'Unique within the thread. Repeating the request replays its run.',
  })
  runId!: string;

  @ApiProperty({
    type: 'array',
    items: anyObject,
    description: 'The whole conversation as the client knows it. Messages that the server has are not stored again.',
  })
  messages!: readonly object[];

  @ApiPropertyOptional({
    example: '1.0',
    description:
      'Sent by clients from version 1.0 on. Without it, the stream contains nothing that older clients reject.',
  })
  protocolVersion?: string;

  @ApiPropertyOptional({ description: 'Stored and repeated in RUN_STARTED.' })
  parentRunId?: string;

  @ApiPropertyOptional({
    ...anyObject,
    description: 'Replaces the shared state of the thread. An empty object leaves it unchanged.',
  })
  state?: object;

  @ApiPropertyOptional({ type: 'array', items: anyObject, description: 'Client tools.' })
  tools?: readonly object[];

  @ApiPropertyOptional({
    type: 'array',
    items: anyObject,
    description: 'Context that the application gives to the agent.',
  })
  context?: readonly object[];

  @ApiPropertyOptional({
    ...anyObject,
    description: '`agent_type`, `user_id`, `client_time`; other properties are passed to agents and tools.',
  })
  forwardedProps?: object;

  @ApiPropertyOptional({
    type: 'array',
    items: anyObject,
    description: 'Answers to all open interrupts of the thread.',
  })
  resume?: readonly object[];
}

const question = (text: string) => [{ id: 'u1', role: 'user', content: text }];

/** Requests that run as they stand. */
export const AG_UI_EXAMPLES = {
  question: {
    summary: 'A question',
    value: { threadId: 'thread-1', runId: 'run-1', messages: question('What is the capital of France?') },
  },
  tool: {
    summary: 'A tool of the server',
    value: {
      threadId: 'thread-2',
      runId: 'run-1',
      protocolVersion: '1.0',
      messages: question('How is the weather in Hangzhou?'),
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    },
  },
  frontendTool: {
    summary: 'A tool of the client',
    value: {
      threadId: 'thread-3',
      runId: 'run-1',
      messages: question('Please open a window titled Notes with open_window.'),
      tools: [
        {
          name: 'open_window',
          description: 'Opens a window on the screen of the user',
          parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
        },
      ],
    },
  },
};
