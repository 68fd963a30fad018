import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const anyObject = { type: 'object', additionalProperties: true } as const;

/** A request of an AG-UI client (contract ag-ui, section 1.1). It documents; the decoder decides. */
export class AgUiRunAgentInputDto {
  @ApiProperty({ example: 'thread-1', maxLength: 256, description: 'The conversation: the session on other wires.' })
  threadId!: string;

  @ApiProperty({
    example: 'run-1',
    maxLength: 256,
    description: 'Unique in its thread. The same request again replays its run.',
  })
  runId!: string;

  @ApiProperty({
    type: 'array',
    items: anyObject,
    description: 'The whole conversation as the client knows it; what the server has is not stored again.',
  })
  messages!: readonly object[];

  @ApiPropertyOptional({ example: '1.0', description: 'Sent by clients from 1.0 on; gates what older ones reject.' })
  protocolVersion?: string;

  @ApiPropertyOptional({ description: 'Kept and repeated.' })
  parentRunId?: string;

  @ApiPropertyOptional({
    ...anyObject,
    description: 'Replaces the shared state of the thread; an empty object leaves it as it is.',
  })
  state?: object;

  @ApiPropertyOptional({ type: 'array', items: anyObject, description: 'Tools that the client runs itself.' })
  tools?: readonly object[];

  @ApiPropertyOptional({ type: 'array', items: anyObject, description: 'What the application tells the agent.' })
  context?: readonly object[];

  @ApiPropertyOptional({
    ...anyObject,
    description: '`agent_type`, `user_id`, `client_time`; the rest is for agents and tools.',
  })
  forwardedProps?: object;

  @ApiPropertyOptional({
    type: 'array',
    items: anyObject,
    description: 'Answers to the open interrupts of the thread, to all of them.',
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
