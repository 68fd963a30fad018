const background = {
  name: 'set-background',
  description: 'Sets the background colour.',
  parameters: '{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}',
};

/** Runnable requests of `send-message`, one for each thing it can do. */
export const SEND_MESSAGE_EXAMPLES = {
  basic: {
    summary: 'AG-Kit: a question',
    value: { conversationId: 'example', messages: [{ role: 'user', content: 'Hello, who are you?' }] },
  },
  'server-tool': {
    summary: 'AG-Kit: a tool of the server',
    value: { conversationId: 'example', messages: [{ role: 'user', content: 'What is the weather in Paris?' }] },
  },
  'client-tool': {
    summary: 'AG-Kit: a tool of the client',
    value: {
      conversationId: 'example-tool',
      messages: [{ role: 'user', content: 'Set the background to blue.' }],
      tools: [background],
    },
  },
  'ag-ui': {
    summary: 'AG-UI on the same path',
    value: { threadId: 'example', messages: [{ id: 'm1', role: 'user', content: 'Hello, who are you?' }] },
  },
  bot: { summary: 'The older bot dialect', value: { msg: 'Hello, who are you?', history: [] } },
} as const;
