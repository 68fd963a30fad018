const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });

/** Requests of `POST /process` that run unchanged. */
export const PROCESS_EXAMPLES = {
  question: { summary: 'A question', value: { input: [user('What is the capital of France?')] } },
  remember: {
    summary: 'Give a name, and ask for it later in the same session',
    value: { input: [user('My name is Alice.')], session_id: 'session-1', user_id: 'alice' },
  },
  tool: {
    summary: 'A tool of the server',
    value: { input: [user('How is the weather in Hangzhou?')], session_id: 'session-2' },
  },
  json: { summary: 'One JSON response', value: { input: [user('Who are you?')], stream: false } },
  clientTool: {
    summary: 'A tool of the client',
    value: {
      input: [user('Please open a window titled Notes with open_window.')],
      session_id: 'session-3',
      tools: [
        {
          type: 'function',
          function: {
            name: 'open_window',
            description: 'Opens a window on the screen of the user',
            parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
          },
        },
      ],
    },
  },
};

/** A request of `POST /stop` that runs unchanged. */
export const STOP_EXAMPLES = {
  session: { summary: 'Stop a session', value: { session_id: 'session-1', user_id: 'alice' } },
};
