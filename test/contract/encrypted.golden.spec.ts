/** The golden streams of some wires, byte for byte, while the content of the database is encrypted. */
import './ag-ui.golden.spec.js';
import './agent-api.golden.spec.js';
import './responses.golden.spec.js';
import './runs.golden.spec.js';

process.env.TEST_DATA_ENCRYPTION_KEYS = 'golden:a-secret-for-golden-streams';
afterAll(() => delete process.env.TEST_DATA_ENCRYPTION_KEYS);
