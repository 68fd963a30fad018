/** A JSON Schema as OpenAPI 3.0 takes it. */
export interface EventFieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: EventFieldSchema;
  readonly additionalProperties?: boolean;
  readonly example?: unknown;
}

/** The fields of one event beside `type`. */
export interface EventDescription {
  readonly description: string;
  readonly required: Readonly<Record<string, EventFieldSchema>>;
  readonly optional?: Readonly<Record<string, EventFieldSchema>>;
}

const text = (description: string, example?: unknown): EventFieldSchema => ({
  type: 'string',
  description,
  ...(example !== undefined && { example }),
});
const object = (description: string): EventFieldSchema => ({ type: 'object', additionalProperties: true, description });
const list = (description: string): EventFieldSchema => ({
  type: 'array',
  items: { type: 'object', additionalProperties: true },
  description,
});
const messageId = text('The message.', 'msg_1');
const toolCallId = text('The call.', 'call_1');
const delta = text('A piece to append.');
const threadId = text('The conversation.', 'thread-1');
const runId = text("The run, by its client's name.", 'run-1');
const usage = list('What the run used, by model: inputTokens, outputTokens, totalTokens and their parts.');
const subagentRunId = text('The subagent that it comes from; absent for the agent of the run.', 'subagent_1');
const owner = { subagentRunId };
const activity = { messageId: text('The activity.'), activityType: text('What kind of progress it is.', 'PLAN') };

/** Every event that an AG-UI stream of this server can hold, told apart by `type` (contract ag-ui, section 1.3). */
export const AG_UI_EVENTS: Readonly<Record<string, EventDescription>> = {
  RUN_STARTED: {
    description: 'The run begins. Always the first event, unless the run is refused.',
    required: { threadId, runId },
    optional: {
      protocolVersion: text('For clients that announced theirs.', '1.0'),
      parentRunId: text('As the request said.'),
      input: object('What the run was accepted with; in replays only.'),
    },
  },
  RUN_FINISHED: {
    description: 'The run is over; nothing follows.',
    required: { threadId, runId },
    optional: {
      outcome: object('`success`, `interrupt` with the open questions, or `cancelled`; absent for success.'),
      usage,
    },
  },
  RUN_ERROR: {
    description: 'The run failed; nothing follows.',
    required: { message: text('For people.') },
    optional: { code: text('For programs.', 'MODEL_TIMEOUT'), usage },
  },
  STEP_STARTED: { description: 'A named phase begins.', required: { stepName: text('Its name.') }, optional: owner },
  STEP_FINISHED: { description: 'A named phase is over.', required: { stepName: text('Its name.') }, optional: owner },
  TEXT_MESSAGE_START: {
    description: 'The assistant begins to speak.',
    required: { messageId, role: { type: 'string', enum: ['assistant'] } },
    optional: owner,
  },
  TEXT_MESSAGE_CONTENT: { description: 'A piece of its words.', required: { messageId, delta } },
  TEXT_MESSAGE_END: { description: 'The message is complete.', required: { messageId } },
  TOOL_CALL_START: {
    description: 'The assistant calls a tool.',
    required: {
      toolCallId,
      toolCallName: text('The tool.', 'get_weather'),
      parentMessageId: text("The assistant's message that the call belongs to."),
    },
    optional: owner,
  },
  TOOL_CALL_ARGS: { description: 'A piece of the arguments, which are JSON text.', required: { toolCallId, delta } },
  TOOL_CALL_END: { description: 'The arguments are complete.', required: { toolCallId } },
  TOOL_CALL_RESULT: {
    description: 'What the tool gave. None follows for a tool of the client: the client answers with its next run.',
    required: { messageId, toolCallId, content: text('The output.'), role: { type: 'string', enum: ['tool'] } },
    optional: { ...owner, metadata: object('`isError` is true when the tool failed.') },
  },
  STATE_SNAPSHOT: {
    description: 'The shared state, whole.',
    required: { snapshot: object('The state.') },
    optional: owner,
  },
  STATE_DELTA: {
    description: 'A change of the shared state.',
    required: { delta: list('An RFC 6902 patch.') },
    optional: owner,
  },
  MESSAGES_SNAPSHOT: {
    description: 'All messages of the conversation, before an interrupt and after a recovery.',
    required: { messages: list('The messages; their ids are those of the stream.') },
  },
  ACTIVITY_SNAPSHOT: {
    description: 'Progress that is shown but is no message, whole.',
    required: { ...activity, content: object('What to show.') },
    optional: owner,
  },
  ACTIVITY_DELTA: {
    description: 'A change of shown progress.',
    required: { ...activity, patch: list('An RFC 6902 patch.') },
    optional: owner,
  },
  REASONING_START: { description: 'The model begins to think.', required: { messageId }, optional: owner },
  REASONING_MESSAGE_START: {
    description: 'Its thoughts begin.',
    required: { messageId, role: { type: 'string', enum: ['reasoning'] } },
    optional: owner,
  },
  REASONING_MESSAGE_CONTENT: { description: 'A piece of its thoughts.', required: { messageId, delta } },
  REASONING_MESSAGE_END: { description: 'Its thoughts are complete.', required: { messageId } },
  REASONING_END: { description: 'The model has thought.', required: { messageId } },
  REASONING_ENCRYPTED_VALUE: {
    description: "A provider's sealed thoughts, to be sent back with the message or call.",
    required: {
      subtype: { type: 'string', enum: ['message', 'tool-call'] },
      entityId: text('The message or call.'),
      encryptedValue: text('Opaque.'),
    },
  },
  CUSTOM: {
    description: 'Anything else, by name; for example `run.recovered`, `run.incomplete`, `message.content`.',
    required: { name: text('What it is.', 'run.recovered'), value: { description: 'Any JSON.' } },
    optional: owner,
  },
  RAW: {
    description: 'An event of another system, as it is.',
    required: { event: { description: 'Any JSON.' } },
    optional: { source: text('The system.'), ...owner },
  },
  SUBAGENT_STARTED: {
    description: 'Another agent does a part of the run.',
    required: { subagentRunId: text('This part.', 'subagent_1'), name: text('The agent.', 'researcher') },
    optional: {
      description: text('What it is there for.'),
      parentSubagentRunId: text('The part that this one belongs to.'),
      parentToolCallId: text('The call that asked for it.'),
    },
  },
  SUBAGENT_FINISHED: {
    description: 'It has done its part, or waits for a person as its run does.',
    required: { subagentRunId: text('The part.', 'subagent_1') },
    optional: {
      result: { description: 'Any JSON.' },
      outcome: object('`suspended`, with the interrupts, when it waits.'),
    },
  },
  SUBAGENT_ERROR: {
    description: 'It could not; the run may go on.',
    required: { subagentRunId: text('The part.', 'subagent_1'), message: text('For people.') },
    optional: { code: text('For programs.') },
  },
};

/** The name of an event's component in the OpenAPI document: `AgUiRunStartedEvent`. */
export function eventSchemaName(type: string): string {
  const words = type.toLowerCase().split('_');
  return `AgUi${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Event`;
}

/** One of all events, told apart by `type`; the components are declared by the `ag-ui` wire. */
export function anyEventSchema() {
  const types = Object.keys(AG_UI_EVENTS);
  const ref = (type: string): string => `#/components/schemas/${eventSchemaName(type)}`;
  return {
    oneOf: types.map((type) => ({ $ref: ref(type) })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(types.map((type) => [type, ref(type)])) },
  };
}
