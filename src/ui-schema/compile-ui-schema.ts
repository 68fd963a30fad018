import { CompileBudget } from './compile-budget.js';
import { button, compileNode, type CompileScope, image, pairs } from './compile-node.js';
import type { UiLayoutNode, UiNode, UiSchemaRenderer, UiStatus } from './ui-schema.types.js';
import { list, oneOf, record, status, text } from './ui-values.js';

/** The version of this compiler, stored with its results, because later versions may give others. */
export const UI_COMPILER_VERSION = '2.0.0';

/** Options of a compilation. */
export interface UiCompileOptions {
  /** BCP 47 tag. */
  readonly locale: string;
  /** The status of hints that have none. */
  readonly status?: UiStatus;
  /** Allowed schemes of URLs. Default: http and https. */
  readonly schemes?: readonly string[];
}

/** A compiled schema, and warnings about what was left out. */
export interface UiCompilation {
  /** Null if there is nothing to show. */
  readonly schema: UiSchemaRenderer | null;
  /** Sentences about what was left out, each one once; at most 20. */
  readonly warnings: readonly string[];
}

/** The statuses, most severe first. */
const SEVERITY: readonly UiStatus[] = ['error', 'warning', 'pending', 'success', 'info'];
/** The themes that a schema may name. */
const THEMES = ['default', 'light', 'dark'] as const;

/**
 * Compiles the hints of an answer to a UiSchemaRenderer (contract runs-api, section 9). It is pure and never
 * throws. Several hints become a stack of cards, and the schema gets the most severe status. The schema is null
 * if there is nothing to show.
 */
export function compileUiSchema(hints: readonly unknown[], options: UiCompileOptions): UiCompilation {
  const budget = new CompileBudget();
  const scope = { budget, schemes: options.schemes ?? ['http', 'https'] };
  const all = hints.map(record).filter((one) => one !== undefined);
  const root = all.length > 1 ? cards(all, scope, options) : card(all[0], scope, options, 1);
  const theme = all.flatMap((one) => oneOf(one['theme'], THEMES) ?? [])[0] ?? 'default';
  const { locale } = options;
  const schema = root ? { version: '2.0' as const, locale, status: mostSevere(all, options), theme, root } : null;
  return { schema, warnings: budget.warnings };
}

/** A hint as the tool gave it, not yet checked. */
type Hint = Readonly<Record<string, unknown>>;

/** The most severe status of all hints. */
function mostSevere(hints: readonly Hint[], options: UiCompileOptions): UiStatus {
  const said = hints.map((hint) => statusOf(hint, options));
  return SEVERITY.find((one) => said.includes(one)) ?? 'info';
}

/** The status of a hint; the default of the options for an unknown one. */
function statusOf(hint: Hint, options: UiCompileOptions): UiStatus {
  return status(hint['status']) ?? options.status ?? 'info';
}

/** A stack of one card per hint; undefined if no hint has anything to show. */
function cards(hints: readonly Hint[], scope: CompileScope, options: UiCompileOptions): UiLayoutNode | undefined {
  if (!scope.budget.takeNode(1)) return undefined;
  const children = hints.flatMap((hint) => card(hint, scope, options, 2) ?? []);
  return children.length === 0 ? undefined : { type: 'stack', gap: 'md', children };
}

/** A card with title, badge, body, fields, items, image and actions, in this order; undefined with only a badge. */
function card(
  hint: Hint | undefined,
  scope: CompileScope,
  options: UiCompileOptions,
  level: number,
): UiLayoutNode | undefined {
  if (!hint || !scope.budget.takeNode(level)) return undefined;
  const shown = statusOf(hint, options);
  const label = text(hint['badge']) ?? shown.toUpperCase();
  const [title, ...rest] = parts(hint, scope, level + 1);
  const badge: UiNode = { type: 'badge', label, status: shown };
  const content = [...(title ?? []), ...rest.flat()];
  if (content.length === 0) {
    scope.budget.returnNode();
    return undefined;
  }
  const badges = scope.budget.takeNode(level + 1) ? [badge] : [];
  return { type: 'stack', appearance: 'card', children: [...(title ?? []), ...badges, ...rest.flat()] };
}

/** The nodes of a hint in order, with the title first. */
function parts(hint: Hint, scope: CompileScope, level: number): readonly (readonly UiNode[])[] {
  const taken = (make: () => UiNode | undefined): readonly UiNode[] => {
    if (!scope.budget.takeNode(level)) return [];
    const node = make();
    if (!node) scope.budget.returnNode();
    return node ? [node] : [];
  };
  return [
    hint['title'] === undefined ? [] : taken(() => textNode(hint['title'], 'title')),
    hint['body'] === undefined ? [] : taken(() => textNode(hint['body'], 'body')),
    list(hint['fields']).length === 0 ? [] : taken(() => pairs(hint['fields'])),
    list(hint['items']).length === 0 ? [] : taken(() => items(hint['items'], scope, level)),
    hint['image'] === undefined ? [] : taken(() => image(hint['image'], scope)),
    list(hint['actions']).length === 0 ? [] : taken(() => actions(hint['actions'], scope, level)),
  ];
}

/** A text node; undefined for an empty text. */
function textNode(value: unknown, role: 'title' | 'subtitle' | 'body'): UiNode | undefined {
  const content = text(value);
  return content === undefined ? undefined : { type: 'text', content, role };
}

/** An unordered list; undefined if no item can be shown. */
function items(value: unknown, scope: CompileScope, level: number): UiNode | undefined {
  const children = list(value).flatMap((one) => item(one, scope, level + 1) ?? []);
  return children.length === 0 ? undefined : { type: 'list', ordered: false, children };
}

/** A list item: a text, a node, or a small card without a frame. */
function item(value: unknown, scope: CompileScope, level: number): UiNode | undefined {
  const given = record(value);
  if (given && 'type' in given) return compileNode(given, scope, level);
  if (!scope.budget.takeNode(level)) return undefined;
  const node = given ? inner(given, scope, level) : textNode(value, 'body');
  if (!node) scope.budget.returnNode();
  return node;
}

/** The content of an item. Items of items are left out, so the nesting ends here. */
function inner(hint: Hint, scope: CompileScope, level: number): UiNode | undefined {
  const children = [...parts({ ...hint, items: undefined }, scope, level + 1)].flat();
  const badge = text(hint['badge']);
  if (badge !== undefined && scope.budget.takeNode(level + 1)) {
    children.push({ type: 'badge', label: badge, status: status(hint['status']) ?? 'info' });
  }
  return children.length === 0 ? undefined : { type: 'stack', gap: 'sm', children };
}

/** The buttons in one row; undefined if none is valid. */
function actions(value: unknown, scope: CompileScope, level: number): UiNode | undefined {
  const children = list(value).flatMap((one): UiNode[] => {
    if (!scope.budget.takeNode(level + 1)) return [];
    const made = button(one, scope);
    if (!made) scope.budget.returnNode();
    return made ? [made] : [];
  });
  return children.length === 0 ? undefined : { type: 'stack', direction: 'horizontal', gap: 'sm', children };
}
