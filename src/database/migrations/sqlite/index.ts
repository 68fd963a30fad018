import { CreateLedger1795219200000 } from './1795219200000-create-ledger.js';

/** In the order they are applied; a landed migration is never edited. */
export const SQLITE_MIGRATIONS = [CreateLedger1795219200000];
