/**
 * Who may import whom. The house is built in layers:
 * common, events <- agent/{session, tools, interrupt, attachment} <- agent <- run <- protocol <- app.module
 */
const AGENT_ROOMS = 'attachment|interrupt|session|tools';
const FEATURES = `access|audit|agent/(?:${AGENT_ROOMS})|agent|chores|common|config|data-protection|database|events|health|outbox|outgoing|retention|run|runtime|samples|schedules|telemetry|ui-schema|usage|user-settings|webhooks`;
/** The folder of a feature: a folder of src/, or one of the rooms of src/agent. */
const FEATURE = `agent/(?:${AGENT_ROOMS})|[^/]+`;
const ADAPTERS = `^src/(?:${FEATURE})/adapters/`;
const SPECS = '\\.spec\\.ts$|/testing/';
/** Plain functions: no framework, no database, no streams library. */
const FRAMEWORKS = '^node_modules/(@nestjs/|typeorm/|rxjs/|fastify/)';

/** A layer must not know the ones above it. */
function layer(name, above) {
  return {
    name: `${name}-knows-nothing-above`,
    comment: `src/${name} is below ${above.replaceAll('|', ', ')}.`,
    severity: 'error',
    from: { path: `^src/${name}/`, pathNot: SPECS },
    to: { path: `^src/(${above})/` },
  };
}

/** A room of src/agent knows those of the others that are named, and nothing else of src/agent. */
function agentRoom(name, others) {
  return {
    name: `agent-${name}-knows-nothing-above`,
    comment: 'The agents, the model loop and the model clients are above the rooms.',
    severity: 'error',
    from: { path: `^src/agent/${name}/`, pathNot: SPECS },
    to: { path: '^src/agent/', pathNot: `^src/agent/(${[name, ...others].join('|')})/` },
  };
}

/** A folder of src/run must not know the given others, nor what assembles them. */
function runFolder(name, others) {
  return {
    name: `run-${name}-knows-nothing-above`,
    comment: 'In src/run, accept, end and dispatch are above execute, and execute is above log.',
    severity: 'error',
    from: { path: `^src/run/${name}/`, pathNot: SPECS },
    to: { path: `^src/run/((${others})/|run\\.(service|module)\\.ts$)` },
  };
}

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'only-the-root-knows-protocols',
      comment: 'A protocol is a face of the server; nothing depends on it but what puts the server together.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(protocol/|boot/|embed/|app\\.(module|settings|setup)(\\.spec)?\\.ts$|main\\.ts$)',
      },
      to: { path: '^src/protocol/' },
    },
    {
      name: 'only-the-root-knows-the-samples',
      comment: 'The server works without them.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(samples/|app\\.(module|settings)\\.ts$)|${SPECS}` },
      to: { path: '^src/samples/' },
    },
    {
      name: 'wires-do-not-know-each-other',
      comment:
        'What two wires share belongs in protocol/http (bytes), protocol/wire (runs as frames), protocol/openai or protocol/ag-ui-events.',
      severity: 'error',
      from: { path: '^src/protocol/([^/]+)/', pathNot: '^src/protocol/(http|wire)/' },
      to: {
        path: '^src/protocol/[^/]+/',
        pathNot: ['^src/protocol/$1/', '^src/protocol/(http|wire|openai|ag-ui-events)/'],
      },
    },
    {
      name: 'wire-kit-knows-no-wire',
      severity: 'error',
      from: { path: '^src/protocol/wire/' },
      to: { path: '^src/protocol/[^/]+/', pathNot: '^src/protocol/(http|wire)/' },
    },
    {
      name: 'http-knows-neither-the-kit-nor-a-wire',
      severity: 'error',
      from: { path: '^src/protocol/http/' },
      to: { path: '^src/protocol/[^/]+/', pathNot: '^src/protocol/http/' },
    },
    {
      name: 'no-circles-between-protocol-folders',
      comment:
        'Types count too: below a wire there are only http, the kit, what the APIs of OpenAI share, and the AG-UI events.',
      severity: 'error',
      from: { path: '^src/protocol/(http|wire|openai|ag-ui-events)/', pathNot: SPECS },
      to: { path: '^src/protocol/', pathNot: '^src/protocol/(http|wire|openai|ag-ui-events)/' },
    },
    {
      name: 'adapters-are-bound-in-one-place',
      comment: 'Only the module file of the same feature and the composition root name an adapter.',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot: `${ADAPTERS}|^src/(?:${FEATURE})/[^/]+\\.module\\.ts$|${SPECS}`,
      },
      to: { path: ADAPTERS },
    },
    {
      name: 'adapters-of-another-feature',
      severity: 'error',
      from: { path: `^src/(${FEATURE})/`, pathNot: SPECS },
      to: { path: ADAPTERS, pathNot: '^src/$1/adapters/' },
    },
    {
      name: 'features-are-imported-by-their-index',
      comment: 'The index is what a feature promises; the rest may change.',
      severity: 'error',
      from: { path: `^src/(${FEATURE})/`, pathNot: SPECS },
      to: {
        path: `^src/(${FEATURES})/.+`,
        pathNot: ['^src/$1/', `^src/(${FEATURES})/index\\.ts$`],
      },
    },
    {
      name: 'rooms-of-the-agent-are-imported-by-their-index',
      severity: 'error',
      from: { path: '^src/agent/', pathNot: `^src/agent/(${AGENT_ROOMS})/|${SPECS}` },
      to: { path: `^src/agent/(${AGENT_ROOMS})/.+`, pathNot: `^src/agent/(${AGENT_ROOMS})/index\\.ts$` },
    },
    layer('common', 'runtime|agent|chores|config|database|events|health|protocol|run|telemetry'),
    layer(
      'runtime',
      'access|agent|boot|chores|config|database|events|health|outbox|outgoing|protocol|run|samples|telemetry',
    ),
    layer('events', 'agent|chores|config|database|health|protocol|run|telemetry'),
    layer('config', 'agent|chores|database|events|health|protocol|run|samples|telemetry|ui-schema|user-settings'),
    layer('database', 'agent|chores|health|protocol|run|telemetry'),
    layer('chores', 'access|agent|health|protocol|run|samples|telemetry|ui-schema|user-settings'),
    layer(
      'retention',
      'access|agent|audit|chores|database|health|outbox|outgoing|protocol|run|samples|schedules|telemetry|ui-schema|usage|user-settings|webhooks',
    ),
    layer(
      'data-protection',
      'access|agent|health|outbox|outgoing|protocol|run|samples|schedules|telemetry|ui-schema|usage|user-settings|webhooks',
    ),
    layer('outgoing', 'access|agent|chores|database|health|protocol|run|samples|telemetry|ui-schema|user-settings'),
    layer(
      'usage',
      'access|agent|health|outbox|outgoing|protocol|run|samples|schedules|telemetry|ui-schema|user-settings|webhooks',
    ),
    layer(
      'audit',
      'access|agent|health|outbox|outgoing|protocol|run|samples|schedules|telemetry|ui-schema|usage|user-settings|webhooks',
    ),
    layer('access', 'agent|health|protocol|run|samples|user-settings'),
    {
      name: 'identity-comes-from-a-credential',
      comment:
        'Only src/access decides who sends a request. What it decides reaches the features as Principal and Reach.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(access|boot|cli|health|protocol|app\\.(module|settings|setup))|${SPECS}` },
      to: { path: '^src/access/' },
    },
    agentRoom('session', ['attachment', 'interrupt', 'tools']),
    agentRoom('interrupt', ['attachment', 'tools']),
    agentRoom('attachment', ['interrupt', 'session']),
    agentRoom('tools', ['attachment']),
    layer('agent', 'health|protocol|run'),
    layer('run', 'health|outbox|protocol|schedules|webhooks'),
    layer('outbox', 'access|health|protocol|samples|schedules|user-settings|webhooks'),
    layer('webhooks', 'access|health|protocol|samples|schedules|user-settings'),
    layer('schedules', 'access|health|protocol|samples'),
    {
      name: 'outbox-knows-no-agents',
      severity: 'error',
      from: { path: '^src/outbox/', pathNot: SPECS },
      to: { path: '^src/agent/', pathNot: `^src/agent/(${AGENT_ROOMS})/` },
    },
    runFolder('ports', 'accept|adapters|dispatch|end|execute|log'),
    runFolder('adapters', 'accept|dispatch|end|execute|log'),
    runFolder('log', 'accept|dispatch|end|execute'),
    runFolder('execute', 'accept|dispatch|end'),
    runFolder('end', 'accept|dispatch'),
    runFolder('accept', 'dispatch'),
    runFolder('dispatch', 'accept'),
    {
      name: 'no-cycles-in-run',
      comment: 'Types count too.',
      severity: 'error',
      from: { path: '^src/run/', pathNot: SPECS },
      to: { circular: true, via: { path: '^src/run/' } },
    },
    {
      name: 'typeorm-in-adapters-only',
      comment: 'Ports and use cases see an opaque transaction.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(database|samples)/|${ADAPTERS}|${SPECS}` },
      to: { path: '^node_modules/typeorm/' },
    },
    {
      name: 'the-client-stands-alone',
      comment: 'It runs in browsers and has no dependencies.',
      severity: 'error',
      from: { path: '^src/client/', pathNot: SPECS },
      to: { pathNot: '^src/client/' },
    },
    {
      name: 'typeorm-decorators-are-kept-apart',
      comment: 'Entities get the decorators from src/database/typeorm.ts, so that a host may use another TypeORM.',
      severity: 'error',
      from: { path: '\\.entity\\.ts$' },
      to: { path: '^node_modules/typeorm/', dependencyTypesNot: ['type-only'] },
    },
    layer('user-settings', 'agent|health|protocol|run'),
    layer('samples', 'health|protocol|run'),
    layer('ui-schema', 'agent|health|protocol|run'),
    {
      name: 'common-and-events-are-plain',
      severity: 'error',
      from: { path: '^src/(common|events)/', pathNot: SPECS },
      to: { path: FRAMEWORKS },
    },
    {
      name: 'ag-ui-events-are-plain',
      comment: 'Four wires read them; they are functions of the log.',
      severity: 'error',
      from: { path: '^src/protocol/ag-ui-events/', pathNot: SPECS },
      to: { path: FRAMEWORKS },
    },
    {
      name: 'encoders-and-decoders-are-plain',
      comment: 'They are functions of the log, testable by property and fit for any place.',
      severity: 'error',
      from: { path: '^src/protocol/.+(encoder|decoder)[^/]*\\.ts$', pathNot: SPECS },
      to: { path: FRAMEWORKS },
    },
    {
      name: 'specs-are-not-shipped',
      severity: 'error',
      from: { path: '^src/', pathNot: SPECS },
      to: { path: SPECS },
    },
    {
      name: 'ai-sdk-types-only',
      comment: 'A server without a model of a provider package loads nothing of the AI SDK.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPECS },
      to: { path: '^node_modules/@ai-sdk/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: SPECS },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        // Peers are listed once more, with the version that this repository is built with.
        dependencyTypesNot: ['npm-peer'],
        pathNot: '^node_modules/@types/',
      },
    },
    {
      name: 'drivers-are-loaded-when-configured',
      comment: 'They are optional packages: loadPackage() says how to install a missing one.',
      severity: 'error',
      from: { path: '^src/', pathNot: SPECS },
      to: {
        path: '^node_modules/(pg|ioredis|bullmq|@aws-sdk/[^/]+)/',
        dependencyTypesNot: ['type-only', 'type-import', 'dynamic-import'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
