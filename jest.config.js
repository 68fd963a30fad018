/** jest loads everything as CommonJS. */
const COMPILER = [
  '@swc/jest',
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
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/scripts', '<rootDir>/console/src'],
  testRegex: '\\.spec\\.ts$',
  testEnvironment: 'node',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // The scripts and jose are ES modules; the exporter of OpenTelemetry imports modules while it runs.
  transform: {
    '^.+\\.(ts|mjs)$': COMPILER,
    '/node_modules/(jose|@nestjs/terminus|@opentelemetry/otlp-exporter-base)/.+\\.js$': COMPILER,
  },
  transformIgnorePatterns: ['/node_modules/(?!(jose|@nestjs/terminus|@opentelemetry/otlp-exporter-base)/)'],
  // Long enough for a machine that does other work.
  testTimeout: 90000,
  // One more than a small machine has cores: many specs wait for processes and time-outs.
  maxWorkers: 3,
};
