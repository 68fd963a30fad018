export * from './health.module.js';
export * from './readiness-probe.js';
export * from './tool-servers-probe.js';
export * from './shutdown-state.js';
export * from './version.js';
