/** A function that the client runs. */
const MAP_TOOL = {
  type: 'function',
  function: {
    name: 'show_map',
    description: 'Shows a place on a map on the screen of the user.',
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  },
};

/** Bodies of `POST /chat/completions` that work unchanged. */
export const COMPLETION_EXAMPLES = {
  question: {
    summary: 'A question',
    value: { model: 'worker', messages: [{ role: 'user', content: 'What is the capital of France?' }] },
  },
  stream: {
    summary: 'As a stream, with usage',
    value: {
      model: 'worker',
      messages: [{ role: 'user', content: 'Count to 20' }],
      stream: true,
      stream_options: { include_usage: true },
    },
  },
  conversation: {
    summary: 'Instructions and a conversation in the request',
    value: {
      model: 'worker',
      messages: [
        { role: 'system', content: 'Answer in one sentence.' },
        { role: 'user', content: 'My name is Alice.' },
        { role: 'assistant', content: 'Hello Alice.' },
        { role: 'user', content: 'What is my name?' },
      ],
    },
  },
  session: {
    summary: 'In a durable session',
    value: {
      model: 'worker',
      metadata: { session_id: 'example-1' },
      messages: [{ role: 'user', content: 'My name is Alice.' }],
    },
  },
  clientTool: {
    summary: 'A tool of the client',
    value: {
      model: 'worker',
      messages: [{ role: 'user', content: 'Please show Paris with show_map.' }],
      tools: [MAP_TOOL],
    },
  },
};
