/** A function that the client runs, used by several examples. */
const WINDOW_TOOL = {
  type: 'function',
  name: 'open_window',
  description: 'Opens a window on the screen of the user',
  parameters: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
  strict: true,
};

/** Bodies of `POST /responses` that work unchanged. */
export const CREATE_EXAMPLES = {
  question: { summary: 'A question', value: { model: 'worker', input: 'What is the capital of France?' } },
  stream: { summary: 'The same as a stream', value: { model: 'worker', input: 'Count to 20', stream: true } },
  instructions: {
    summary: 'Instructions and a conversation in the request',
    value: {
      model: 'worker',
      instructions: 'Answer in one sentence.',
      input: [
        { role: 'user', content: 'My name is Alice.' },
        { role: 'assistant', content: 'Hello Alice.' },
        { role: 'user', content: [{ type: 'input_text', text: 'What is my name?' }] },
      ],
    },
  },
  serverTool: { summary: 'A tool of the server', value: { model: 'worker', input: 'How is the weather in Hangzhou?' } },
  clientTool: {
    summary: 'A tool of the client',
    value: { model: 'worker', input: 'Please open a window titled Notes with open_window.', tools: [WINDOW_TOOL] },
  },
  structured: {
    summary: 'A response with a schema',
    value: {
      model: 'worker',
      input: 'Describe a cat',
      text: {
        format: {
          type: 'json_schema',
          name: 'animal',
          schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
    },
  },
  background: { summary: 'In the background', value: { model: 'worker', input: 'Count to 50', background: true } },
};

/** Bodies of `POST /conversations` and `POST /conversations/{id}`. */
export const CONVERSATION_EXAMPLES = {
  empty: { summary: 'An empty conversation', value: {} },
  begun: {
    summary: 'With metadata and a first item',
    value: { metadata: { topic: 'greetings' }, items: [{ role: 'user', content: 'My name is Alice.' }] },
  },
};

/** Bodies of `POST /conversations/{id}/items`. */
export const ITEM_EXAMPLES = {
  message: { summary: 'A message', value: { items: [{ type: 'message', role: 'user', content: 'I like cats.' }] } },
};
