/** The stores of the ledger, and the statements that a run costs, while content is encrypted. */
import './approvals.spec.js';
import './audit-chain.spec.js';
import './log-compaction.spec.js';
import './log-partitions.spec.js';
import './provider-states.spec.js';
import './resent-history.spec.js';
import './run-cost.spec.js';
import './run-lists.spec.js';
import './run-log.spec.js';
import './session-store.spec.js';
import './sessions.spec.js';

process.env.TEST_DATA_ENCRYPTION_KEYS = 'ledger:a-secret-for-the-ledger';
afterAll(() => delete process.env.TEST_DATA_ENCRYPTION_KEYS);
