export * from './request-fields.js';
export * from './list-page.js';
export * from './made-dto.js';
export * from './openai-error.js';
export * from './openai-paths.js';
export * from './part-text.js';
