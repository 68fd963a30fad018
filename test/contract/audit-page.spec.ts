import { AUDIT_ACTIONS } from '../../src/audit/index.js';
import { AUDIT_GROUPS } from '../../console/src/audit/audit-actions.js';

/** Acts of no tenant: only the operator sees them, with the commands. */
const OF_OPERATOR = ['config.started'];

describe('the filter of the audit page', () => {
  it('has every act of a tenant once', () => {
    const shown = AUDIT_GROUPS.flatMap(({ actions }) => actions);
    expect([...shown, ...OF_OPERATOR].sort()).toEqual([...AUDIT_ACTIONS].sort());
  });
});
