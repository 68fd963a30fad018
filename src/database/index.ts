export * from './entities/index.js';
export * from './data-source-options.js';
export * from './database.js';
export * from './queryable.js';
export { queryable, type Transaction, UnitOfWork } from './transaction.js';
export * from './open-database.js';
export * from './database.module.js';
export * from './database.settings.js';
