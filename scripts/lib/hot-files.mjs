/**
 * Code that runs for each event, commit or frame, as globs from the root. It is written for V8, so that rules of style that
 * cost hidden classes do not hold there (docs/node-internals.md).
 */
export const HOT_FILES = [
  'src/events/**',
  'src/run/{log,execute,accept}/**',
  'src/run/adapters/sql/**',
  'src/agent/loop/**',
  'src/agent/adapters/chat-completions/**',
  'src/agent/session/adapters/**',
  'src/database/**',
  'src/protocol/{http,wire,ag-ui-events}/**',
  'src/protocol/*/*encoder*',
  'src/protocol/*/encoder/**',
  'src/runtime/**',
];
