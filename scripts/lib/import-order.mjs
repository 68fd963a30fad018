/**
 * A lint rule with a fix: imports come in the order Node, packages, parents (the farthest first), neighbors. Within a group
 * they stay as they are.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const importOrder = {
  meta: {
    type: 'layout',
    fixable: 'code',
    messages: { order: 'Imports come in the order Node, packages, parents, neighbors.' },
    schema: [],
  },
  create: (context) => ({
    Program(program) {
      const imports = leading(program.body);
      const sorted = imports.toSorted((one, other) => rankOf(one) - rankOf(other));
      const first = imports.find((one, at) => one !== sorted[at]);
      if (first === undefined) return;
      const { sourceCode } = context;
      context.report({
        node: first,
        messageId: 'order',
        // A comment between imports belongs to one of them: a person moves it.
        fix: hasComments(sourceCode, imports)
          ? null
          : (fixer) => imports.map((one, at) => fixer.replaceText(one, sourceCode.getText(sorted[at]))),
      });
    },
  }),
};

/**
 * @param {readonly import('estree').Program['body'][number][]} body
 * @returns {import('estree').ImportDeclaration[]} the imports at the beginning
 */
function leading(body) {
  const end = body.findIndex(({ type }) => type !== 'ImportDeclaration');
  return /** @type {import('estree').ImportDeclaration[]} */ (end < 0 ? [...body] : body.slice(0, end));
}

/** @param {import('estree').ImportDeclaration} declaration */
function rankOf({ source }) {
  const path = String(source.value);
  if (path.startsWith('node:')) return -200;
  if (!path.startsWith('.')) return -100;
  return -path.split('/').filter((step) => step === '..').length;
}

/**
 * @param {import('eslint').SourceCode} sourceCode
 * @param {readonly import('estree').ImportDeclaration[]} imports
 */
function hasComments(sourceCode, imports) {
  const [start = 0, end = 0] = [imports.at(0)?.range?.[0], imports.at(-1)?.range?.[1]];
  return sourceCode.getAllComments().some(({ range }) => range !== undefined && range[0] > start && range[1] < end);
}
