const { readdirSync } = require('node:fs');
const { availableParallelism } = require('node:os');

/** jest loads everything as CommonJS. */
const COMPILER = [
  require.resolve('@swc/jest', { paths: [`${__dirname}/test`] }),
  {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      target: 'es2022',
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

/** One configuration for every kind of test; scripts/test.mjs chooses which folders run. */
module.exports = {
  rootDir: '.',
  roots: ['src', 'scripts', 'console/src', ...foldersOfTests()].map((folder) => `<rootDir>/${folder}`),
  testRegex: '\\.spec\\.ts$',
  testEnvironment: 'node',
  // Specs in src use packages of the tests, too.
  modulePaths: ['<rootDir>/test/node_modules'],
  resolver: '<rootDir>/scripts/lib/jest-resolver.cjs',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // The scripts and jose are ES modules; the exporter of OpenTelemetry imports modules while it runs.
  transform: {
    '^.+\\.(ts|mjs)$': COMPILER,
    '/node_modules/(jose|@nestjs/terminus|@opentelemetry/otlp-exporter-base)/.+\\.js$': COMPILER,
  },
  transformIgnorePatterns: ['/node_modules/(?!(jose|@nestjs/terminus|@opentelemetry/otlp-exporter-base)/)'],
  // Long enough for a machine that does other work.
  testTimeout: 90000,
  // One more than there are cores: many specs wait for processes and time-outs.
  maxWorkers: Math.max(3, availableParallelism() + 1),
  // What spec files leave behind, each with modules of its own, slows those after them down: with 4 GB, ten times.
  workerIdleMemoryLimit: '700MB',
};

/** All folders of `test` but its packages, which jest would crawl at each start. */
function foldersOfTests() {
  const folders = readdirSync(`${__dirname}/test`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => `test/${name}`).filter((path) => path !== 'test/node_modules');
}
