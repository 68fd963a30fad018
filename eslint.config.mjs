import { fileURLToPath } from 'node:url';
import { HOT_FILES } from './scripts/lib/hot-files.mjs';
import { importOrder } from './scripts/lib/import-order.mjs';
import { loadTool } from './scripts/lib/tools.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const reactHooks = loadTool(root, 'eslint-plugin-react-hooks');
const tseslint = loadTool(root, 'typescript-eslint');

const FILE_BUDGET = { max: 300, skipBlankLines: true, skipComments: true };

/** What the house does not use, each with what to use instead. */
const FORBIDDEN_SYNTAX = [
  {
    selector: 'TSEnumDeclaration',
    message: 'Use a union of string literals, with an `as const` object where values are needed.',
  },
];
const METRIC = {
  selector:
    'CallExpression[callee.property.name=/^(counters?|histograms?|gauge|countedElsewhere)$/]:matches([callee.object.name=/metrics$/i], [callee.object.property.name=/metrics$/i])',
  message: 'Declare metrics in a `*.metrics.ts` file of the feature.',
};
/** An optional property has one spelling: `...(value !== undefined && { value })`. */
const OPTIONAL_PROPERTY = {
  selector:
    'ObjectExpression > SpreadElement > ConditionalExpression:matches([consequent.type="ObjectExpression"][consequent.properties.length=0], [alternate.type="ObjectExpression"][alternate.properties.length=0])',
  message: 'Write `...(condition && { property })`.',
};
const NO_DEFAULT_EXPORT = { selector: 'ExportDefaultDeclaration', message: 'Use a named export.' };

export default tseslint.config(
  // The project template is compiled as its user does it (test/e2e/package.spec.ts).
  {
    ignores: ['dist/', 'coverage/', 'data/', '**/node_modules/', '.cache/', 'docs/', 'templates/', 'src/client/api.ts'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs'],
    plugins: { house: { rules: { 'import-order': importOrder } } },
    rules: { 'house/import-order': 'error' },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // An abstract port or a fake may have nothing to wait for, although its promise says so.
      '@typescript-eslint/require-await': 'off',
      'max-lines': ['error', FILE_BUDGET],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      'no-restricted-syntax': ['error', ...FORBIDDEN_SYNTAX, NO_DEFAULT_EXPORT],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    // Its packages are those of the tests here.
    files: ['examples/chat-page/page/**/*.ts', 'examples/chat-page/page/**/*.tsx'],
    languageOptions: { parserOptions: { projectService: false, project: 'test/tsconfig.chat-page.json' } },
  },
  {
    // Only adapters write SQL. Everything else passes an opaque `Transaction` to them.
    files: ['src/**/*.ts'],
    ignores: [
      'src/database/**',
      'src/*/adapters/**',
      'src/agent/*/adapters/**',
      'src/samples/**',
      '**/*.spec.ts',
      'src/**/testing/**',
    ],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '/database/index\\.js$',
              importNames: ['Queryable', 'queryable', 'SqlValue'],
              message: 'Only adapters query the database. Use a port and `Transaction`.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['**/*.metrics.ts', '**/*.spec.ts', 'src/**/testing/**', 'src/database/migrations/**'],
    rules: { 'no-restricted-syntax': ['error', ...FORBIDDEN_SYNTAX, NO_DEFAULT_EXPORT, METRIC] },
  },
  {
    // Not where a spread costs hidden classes (docs/node-internals.md).
    files: ['src/**/*.ts'],
    ignores: [...HOT_FILES, '**/*.metrics.ts', '**/*.spec.ts', 'src/**/testing/**', 'src/database/migrations/**'],
    rules: { 'no-restricted-syntax': ['error', ...FORBIDDEN_SYNTAX, NO_DEFAULT_EXPORT, METRIC, OPTIONAL_PROPERTY] },
  },
  {
    // Before there is a log, or after it: the start speaks to a terminal.
    files: ['src/main.ts', 'templates/project/src/main.ts', 'examples/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // A suite is one function, and a table of cases is long.
    files: ['**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts', 'src/**/testing/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'no-console': 'off',
      // jest's matchers such as `expect.any()` are typed as any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['console/**/*.ts', 'console/**/*.tsx', 'examples/*/page/**/*.ts', 'examples/*/page/**/*.tsx'],
    plugins: { 'react-hooks': reactHooks },
    rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' },
  },
  {
    // A component is mostly the description of what it shows.
    files: ['console/**/*.tsx', 'examples/*/page/**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', { max: 110, skipBlankLines: true, skipComments: true }] },
  },
  {
    // TypeORM's command line wants one default export, and generated migrations are long.
    files: ['ormconfig.ts', 'src/database/migrations/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...FORBIDDEN_SYNTAX],
      'max-lines-per-function': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.js', '**/*.cjs'],
    extends: [tseslint.configs.recommended],
    rules: { 'max-lines': ['error', FILE_BUDGET], 'no-undef': 'off' },
  },
  {
    files: ['*.js', '*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
