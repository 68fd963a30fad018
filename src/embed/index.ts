export { ParleyModule } from './parley.module.js';
export type { AsyncParleyOptions, HostLink, ParleyOptions } from './parley-options.js';
