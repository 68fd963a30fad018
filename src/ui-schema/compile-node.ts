import { type CompileBudget, UI_LIMITS } from './compile-budget.js';
import type { UiLayoutNode, UiLeafNode, UiNode } from './ui-schema.types.js';
import { action, address, list, oneOf, record, status, text } from './ui-values.js';

/** The limits and options of a compilation. */
export interface CompileScope {
  /** Counts nodes and buttons over the whole compilation. */
  readonly budget: CompileBudget;
  /** Allowed schemes of links, images and buttons, such as `https`. */
  readonly schemes: readonly string[];
}

/** A node as the tool gave it, not yet checked. */
type Given = Readonly<Record<string, unknown>>;

/**
 * Compiles a given node: keeps known keys and allowed values. Returns undefined if nothing of it can be shown.
 *
 * @param level of this node, 1 for the root
 */
export function compileNode(value: unknown, scope: CompileScope, level: number): UiNode | undefined {
  const given = record(value);
  if (!given || !scope.budget.takeNode(level)) return undefined;
  const node = layoutNode(given, scope, level) ?? leafNode(given, scope);
  if (!node) {
    scope.budget.returnNode();
    scope.budget.refuse(`a node that cannot be shown`);
  }
  return node;
}

/** Compiles a list of nodes, without those that cannot be shown. */
export function compileNodes(value: unknown, scope: CompileScope, level: number): readonly UiNode[] {
  return list(value)
    .slice(0, UI_LIMITS.nodes)
    .flatMap((one) => compileNode(one, scope, level) ?? []);
}

/** A node with children, or a divider; undefined for other types and for a node without valid children. */
function layoutNode(given: Given, scope: CompileScope, level: number): UiLayoutNode | undefined {
  const { type } = given;
  if (type === 'divider') return { type };
  if (type !== 'stack' && type !== 'grid' && type !== 'list') return undefined;
  const children = compileNodes(given['children'], scope, level + 1);
  if (children.length === 0) return undefined;
  if (type === 'list') return { type, ordered: given['ordered'] === true, children };
  if (type === 'grid') return { type, columns: columnsOf(given['columns']), children };
  const direction = oneOf(given['direction'], ['horizontal'] as const);
  const gap = oneOf(given['gap'], ['none', 'sm', 'md', 'lg'] as const);
  const appearance = oneOf(given['appearance'], ['card', 'section'] as const);
  return { type, ...(direction && { direction }), ...(gap && { gap }), ...(appearance && { appearance }), children };
}

/** 1 to 4 columns; 2 if the number is missing or not an integer. */
function columnsOf(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? Math.min(4, Math.max(1, value)) : 2;
}

/** A node without children; undefined if a required value is missing. */
function leafNode(given: Given, scope: CompileScope): UiLeafNode | undefined {
  switch (given['type']) {
    case 'text': {
      const content = text(given['content']);
      const role = oneOf(given['role'], ['title', 'subtitle', 'body', 'caption', 'code'] as const) ?? 'body';
      return content === undefined ? undefined : { type: 'text', content, role };
    }
    case 'badge': {
      const label = text(given['label']);
      return label === undefined ? undefined : { type: 'badge', label, status: status(given['status']) ?? 'info' };
    }
    case 'kv':
      return pairs(given['items']);
    case 'image':
      return image(given, scope);
    case 'link': {
      const [label, url] = [text(given['label']), address(given['url'], scope.schemes, scope.budget)];
      return url === undefined ? undefined : { type: 'link', label: label ?? url, url };
    }
    case 'button':
      return button(given, scope);
    case 'progress': {
      const { value } = given;
      const isShare = typeof value === 'number' && Number.isFinite(value);
      return { type: 'progress', value: isShare ? Math.min(1, Math.max(0, value)) : null };
    }
    case 'table':
      return table(given);
    default:
      return undefined;
  }
}

/** A `kv` node with the fields that have a label and a value. */
export function pairs(value: unknown): UiLeafNode | undefined {
  const items = list(value)
    .slice(0, UI_LIMITS.entries)
    .flatMap((one) => {
      const [label, shown] = [text(record(one)?.['label']), text(record(one)?.['value'])];
      return label === undefined || shown === undefined ? [] : [{ label, value: shown }];
    });
  return items.length === 0 ? undefined : { type: 'kv', items };
}

/** An image node; undefined if its URL is not allowed. */
export function image(value: unknown, { schemes, budget }: CompileScope): UiLeafNode | undefined {
  const given = record(value);
  const url = given && address(given['url'], schemes, budget);
  return url === undefined ? undefined : { type: 'image', url, alt: text(given?.['alt']) ?? '' };
}

/** A button node; undefined without a label and a valid action. */
export function button(value: unknown, { schemes, budget }: CompileScope): UiLeafNode | undefined {
  const given = record(value);
  const label = text(given?.['label']);
  const does = label === undefined ? undefined : action(given?.['action'], schemes, budget);
  return label === undefined || !does || !budget.takeAction() ? undefined : { type: 'button', label, action: does };
}

/** A table with at least one column. Cells without a text are empty. */
function table(given: Given): UiLeafNode | undefined {
  const cells = (value: unknown): readonly string[] =>
    list(value)
      .slice(0, UI_LIMITS.entries)
      .map((cell) => text(cell) ?? '');
  const columns = cells(given['columns']);
  const rows = list(given['rows']).slice(0, UI_LIMITS.entries).map(cells);
  return columns.length === 0 ? undefined : { type: 'table', columns, rows };
}
