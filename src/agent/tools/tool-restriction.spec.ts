import { restrictTools, type ToolRestriction } from './tool-restriction.js';
import type { ServerTool } from './tool.js';

function tool(name: string, server: string, readOnlyHint?: boolean): ServerTool {
  const origin = server === 'local' ? { kind: 'local' } : { kind: 'mcp', serverLabel: server };
  return { name, origin, ...(readOnlyHint !== undefined && { annotations: { readOnlyHint } }) } as ServerTool;
}

const TOOLS = [
  tool('read', 'files', true),
  tool('write', 'files', false),
  tool('list', 'files'),
  tool('note', 'notes'),
  tool('weather', 'local'),
];

/** The names that are left; those that ask with a question mark. */
function left(...limits: ToolRestriction[]): string {
  return restrictTools(TOOLS, limits)
    .map(({ name, requiresApproval }) => (requiresApproval ? `${name}?` : name))
    .join(' ');
}

describe('tool restrictions of a request', () => {
  it.each<[string, ToolRestriction[]]>([
    ['read write list note weather', []],
    ['read list note weather', [{ server: 'files', only: { names: ['read', 'list'] } }]],
    ['note weather', [{ server: 'files', only: { names: [] } }]],
    ['read note weather', [{ server: 'files', only: { readOnly: true } }]],
    ['write list note weather', [{ server: 'files', only: { readOnly: false } }]],
    ['read write list note', [{ server: 'local', only: { names: ['read'] } }]],
    ['read? write? list? note weather', [{ server: 'files', ask: {} }]],
    ['read write? list note weather', [{ server: 'files', ask: { names: ['write', 'note'] } }]],
    ['read write? list? note weather', [{ server: 'files', askAllBut: { readOnly: true } }]],
    [
      'read? write? list note weather',
      [{ server: 'files', ask: { names: ['read'] }, askAllBut: { names: ['list', 'read'] } }],
    ],
    [
      'write? note? weather',
      [
        { server: 'files', only: { names: ['write'] }, ask: {} },
        { server: 'notes', ask: {} },
      ],
    ],
    [
      'read? note weather',
      [
        { server: 'files', only: { names: ['read'] } },
        { server: 'files', ask: {} },
      ],
    ],
  ])('the tools that remain are %s', (names, limits) => {
    expect(left(...limits)).toBe(names);
  });

  it('the tools of other runs are not changed', () => {
    const [asking] = restrictTools(TOOLS, [{ server: 'files', ask: {} }]);
    expect(asking).toMatchObject({ name: 'read', annotations: { readOnlyHint: true } });
    expect(TOOLS[0]?.requiresApproval).toBeUndefined();
  });
});
