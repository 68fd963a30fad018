const text = (id: string, words: string) => ({ id, role: 'user', parts: [{ type: 'text', text: words }] });

/** Bodies of `POST /ai-sdk` that work unchanged. */
export const CHAT_EXAMPLES = {
  message: {
    summary: 'A message',
    value: { id: 'example-1', trigger: 'submit-message', messages: [text('m1', 'What is the capital of France?')] },
  },
  last: {
    summary: 'The last message alone',
    value: { id: 'example-2', message: text('m1', 'Count to 20') },
  },
  clientTool: {
    summary: 'A tool of the page',
    value: {
      id: 'example-3',
      messages: [text('m1', 'Please show Paris with show_map.')],
      tools: {
        show_map: {
          description: 'Shows a place on a map on the screen of the user.',
          inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
        },
      },
    },
  },
};

/** What the stream of a short answer looks like. */
export const CHAT_STREAM_EXAMPLE = [
  { type: 'start', messageId: 'answer_1' },
  { type: 'start-step' },
  { type: 'text-start', id: 'msg_2:0' },
  { type: 'text-delta', id: 'msg_2:0', delta: 'Paris.' },
  { type: 'text-end', id: 'msg_2:0' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop' },
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');
