export * from './agent.js';
export * from './ports/model-client.js';
