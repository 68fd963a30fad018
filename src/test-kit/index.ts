export * from './model-answers.js';
export * from './recorded-model.js';
export * from './scripted-model-client.js';
export * from './test-model.js';
export * from './test-run.js';
export * from './test-server.js';
