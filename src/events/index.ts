export * from './vocabulary.js';
export * from './logged-event.js';
