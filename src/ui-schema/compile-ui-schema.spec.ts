import fc from 'fast-check';
import { UI_LIMITS } from './compile-budget.js';
import { compileUiSchema } from './compile-ui-schema.js';
import type { UiNode } from './ui-schema.types.js';

const options = { locale: 'zh-CN' };
const compile = (...hints: unknown[]) => compileUiSchema(hints, options);

function childrenOf(node: UiNode): readonly UiNode[] {
  return 'children' in node ? node.children : [];
}
const count = (node: UiNode): number => 1 + childrenOf(node).reduce((sum, child) => sum + count(child), 0);
const depth = (node: UiNode): number => 1 + Math.max(0, ...childrenOf(node).map(depth));
const buttons = (node: UiNode): number =>
  (node.type === 'button' ? 1 : 0) + childrenOf(node).reduce((sum, child) => sum + buttons(child), 0);

describe('compileUiSchema', () => {
  it('the card of the documentation is compiled', () => {
    expect(compile({ title: '日程已创建', body: '您的会议日程创建成功', status: 'success' })).toEqual({
      warnings: [],
      schema: {
        version: '2.0',
        locale: 'zh-CN',
        status: 'success',
        theme: 'default',
        root: {
          type: 'stack',
          appearance: 'card',
          children: [
            { type: 'text', content: '日程已创建', role: 'title' },
            { type: 'badge', label: 'SUCCESS', status: 'success' },
            { type: 'text', content: '您的会议日程创建成功', role: 'body' },
          ],
        },
      },
    });
  });

  it('the order is title, badge, body, fields, items, image, actions', () => {
    const { schema, warnings } = compile({
      actions: [
        { label: 'Open', action: { type: 'open_url', payload: { url: 'https://example.org/a' } } },
        { label: 'More', action: { type: 'send_message', payload: { text: 'More, please' } } },
        { label: 'Yes', action: { type: 'tool_approve', payload: { id: 'interrupt_1' } } },
      ],
      image: { url: 'https://example.org/a.png', alt: 'A picture' },
      items: ['one', { title: 'two', badge: 'NEW', fields: [{ label: 'n', value: 2 }] }, { type: 'divider' }],
      fields: [{ label: 'Where', value: 'Room 1' }, { label: 'no value' }],
      body: 'The body',
      badge: 'READY',
      title: 'The title',
      theme: 'dark',
    });
    expect(warnings).toEqual([]);
    expect(schema).toMatchObject({ theme: 'dark', status: 'info' });
    expect(childrenOf(schema?.root as UiNode)).toEqual([
      { type: 'text', content: 'The title', role: 'title' },
      { type: 'badge', label: 'READY', status: 'info' },
      { type: 'text', content: 'The body', role: 'body' },
      { type: 'kv', items: [{ label: 'Where', value: 'Room 1' }] },
      {
        type: 'list',
        ordered: false,
        children: [
          { type: 'text', content: 'one', role: 'body' },
          {
            type: 'stack',
            gap: 'sm',
            children: [
              { type: 'text', content: 'two', role: 'title' },
              { type: 'kv', items: [{ label: 'n', value: '2' }] },
              { type: 'badge', label: 'NEW', status: 'info' },
            ],
          },
          { type: 'divider' },
        ],
      },
      { type: 'image', url: 'https://example.org/a.png', alt: 'A picture' },
      {
        type: 'stack',
        direction: 'horizontal',
        gap: 'sm',
        children: [
          { type: 'button', label: 'Open', action: { type: 'open_url', payload: { url: 'https://example.org/a' } } },
          { type: 'button', label: 'More', action: { type: 'send_message', payload: { text: 'More, please' } } },
          { type: 'button', label: 'Yes', action: { type: 'tool_approve', payload: { id: 'interrupt_1' } } },
        ],
      },
    ]);
  });

  it('every kind of node is compiled', () => {
    const nodes = [
      { type: 'stack', direction: 'horizontal', gap: 'lg', appearance: 'section', children: [{ type: 'divider' }] },
      { type: 'grid', columns: 3, children: [{ type: 'text', content: 'x', role: 'code' }] },
      { type: 'list', ordered: true, children: [{ type: 'badge', label: 'b', status: 'pending' }] },
      { type: 'link', label: 'l', url: 'https://example.org/' },
      { type: 'progress', value: 0.5 },
      { type: 'progress', value: null },
      { type: 'table', columns: ['a'], rows: [['1'], ['2']] },
    ];
    const { schema, warnings } = compile({ items: nodes });
    expect(warnings).toEqual([]);
    expect(childrenOf(childrenOf(schema?.root as UiNode)[1] as UiNode)).toEqual(nodes);
  });

  it('several hints are listed under the most severe status', () => {
    const { schema } = compile({ title: 'a', status: 'success' }, { title: 'b', status: 'warning' });
    expect(schema).toMatchObject({ status: 'warning', root: { type: 'stack', gap: 'md' } });
    expect(childrenOf(schema?.root as UiNode)).toHaveLength(2);
  });

  it.each<[string, unknown[]]>([
    ['no hints', []],
    ['empty hints', [{}]],
    ['a status alone', [{ status: 'success', badge: 'OK' }]],
    ['blank texts', [{ title: '  ', body: '' }]],
    ['something else', ['title', 7, null, ['title']]],
    ['nodes without children', [{ items: [{ type: 'stack', children: [] }, { type: 'nothing' }] }]],
  ])('the card of %s is null', (_, hints) => {
    expect(compileUiSchema(hints, options).schema).toBeNull();
  });

  it('parts that are not allowed are left out and reported', () => {
    const bad = ['javascript:alert(1)', 'data:text/html,x', '/relative', 'https://user:pass@example.org/', 'ftp://a/b'];
    const { schema, warnings } = compile({
      title: 'Links',
      image: { url: bad[1] },
      items: bad.map((url) => ({ type: 'link', label: 'x', url })),
      actions: bad.map((url) => ({ label: 'x', action: { type: 'open_url', payload: { url } } })),
    });
    expect(childrenOf(schema?.root as UiNode).map(({ type }) => type)).toEqual(['text', 'badge']);
    expect(warnings).toContain('Left out: an address that is not valid or not allowed');
    expect(compile({ title: 'x', items: [{ type: 'iframe', src: 'x' }] }).warnings).not.toEqual([]);
  });

  it('long texts are truncated by code points', () => {
    const content = (text: string): unknown => {
      const node = childrenOf(compile({ body: text }).schema?.root as UiNode)[1] as { content: string };
      return node.content;
    };
    expect(content('😀'.repeat(4000))).toBe('😀'.repeat(4000));
    expect(content('😀'.repeat(4001))).toBe(`${'😀'.repeat(3999)}…`);
  });

  it('the limits of nodes, levels and actions are enforced', () => {
    const many = compile({ items: Array.from({ length: 500 }, (_, n) => `item ${n}`) });
    expect(count(many.schema?.root as UiNode)).toBeLessThanOrEqual(UI_LIMITS.nodes);
    expect(many.warnings).toEqual(['Left out: more than 200 nodes']);
    const action = { label: 'go', action: { type: 'send_message', payload: { text: 'go' } } };
    expect(buttons(compile({ title: 'x', actions: Array(20).fill(action) }).schema?.root as UiNode)).toBe(8);
    let nested: unknown = { type: 'text', content: 'deep' };
    for (let level = 0; level < 50; level += 1) nested = { type: 'stack', children: [nested] };
    expect(compile({ title: 'x', items: [nested] }).schema).not.toBeNull();
  });

  it('any input is compiled without an exception, deterministically and within the limits', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.constantFrom('success', 'https://example.org/', 'javascript:x', 'open_url', 'card', null, true),
      fc.double(),
    );
    const { hint } = fc.letrec((tie) => ({
      hint: fc.dictionary(
        fc.constantFrom(
          ...['title', 'body', 'badge', 'status', 'theme', 'fields', 'items', 'actions', 'image', 'type', 'children'],
          ...['content', 'role', 'label', 'value', 'url', 'alt', 'action', 'payload', 'columns', 'rows', '__proto__'],
        ),
        fc.oneof(
          { maxDepth: 4 },
          leaf,
          fc.constantFrom(
            'stack',
            'grid',
            'list',
            'text',
            'badge',
            'kv',
            'image',
            'link',
            'button',
            'table',
            'progress',
          ),
          fc.array(tie('hint'), { maxLength: 4 }),
          tie('hint'),
        ),
        { maxKeys: 5 },
      ),
    }));
    fc.assert(
      fc.property(fc.array(hint, { maxLength: 4 }), (hints) => {
        const made = compileUiSchema(hints, options);
        expect(compileUiSchema(hints, options)).toEqual(made);
        if (!made.schema) return;
        expect(JSON.parse(JSON.stringify(made.schema))).toEqual(made.schema);
        expect(count(made.schema.root)).toBeLessThanOrEqual(UI_LIMITS.nodes);
        expect(depth(made.schema.root)).toBeLessThanOrEqual(UI_LIMITS.depth);
        expect(buttons(made.schema.root)).toBeLessThanOrEqual(UI_LIMITS.actions);
        expect(['stack', 'grid', 'list', 'divider']).toContain(made.schema.root.type);
      }),
      { numRuns: 100, endOnFailure: true },
    );
  });
});
