export * from './health.module.js';
export * from './ports/probes.js';
export { ShutdownState } from './readiness.service.js';
export { ModelRepairDto } from './health.dto.js';
