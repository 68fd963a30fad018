// The model of specs is the one that the package offers to authors of agents.
export * from '../../test-kit/scripted-model-client.js';
