/**
 * @typedef {{ name: string, group: string, description: string, rule: { expectation: string }, fallback?: string | number | boolean, fallbackText?: string, secret?: boolean }} SettingEntry
 */

const INTRODUCTION = `# Configuration

Parley is configured by environment variables, read once at the start. \`npm start\` also reads a file
\`.env\` in the project's folder; variables that are already set win over the file. An empty variable
counts as absent. Without any variable the server listens on \`127.0.0.1:8090\`, keeps its data in
\`./data\` and answers with the offline demo model.

A value that cannot be used stops the start, with one message that names every such variable, what it
is and what it may be. Secrets are never shown.

This page and \`.env.example\` are made from \`src/config/environment.ts\` by
\`node scripts/config-docs.mjs\`.

## Which model answers

| What is set | Model server | Model |
| --- | --- | --- |
| nothing | none: the offline demo model, without a network | \`offline-demo\` |
| nothing but \`SAMPLES=off\` | none: the server does not start | |
| \`DASHSCOPE_API_KEY\` | \`https://dashscope.aliyuncs.com/compatible-mode/v1\` | \`qwen-plus\` |
| \`OPENAI_API_KEY\` | \`https://api.openai.com/v1\` | \`gpt-4o-mini\` |
| \`LLM_BASE_URL\` | that address, with \`LLM_API_KEY\` if it is set | \`LLM_MODEL\` |

\`LLM_BASE_URL\`, \`LLM_API_KEY\` and \`LLM_MODEL\` win over what a provider key chooses. A provider key
is sent to its own provider only. When both provider keys are set, DashScope is used.
`;

/**
 * docs/configuration.md.
 *
 * @param {readonly SettingEntry[]} settings
 * @returns {string}
 */
export function configurationPage(settings) {
  const sections = groupsOf(settings).map(([group, entries]) => {
    const rows = entries.map(
      (entry) =>
        `| \`${entry.name}\` | ${cell(defaultOf(entry))} | ${cell(entry.rule.expectation)} | ${cell(entry.description)} |`,
    );
    return [
      `## ${group}`,
      '',
      '| Variable | Default | Must be | Meaning |',
      '| --- | --- | --- | --- |',
      ...rows,
      '',
    ].join('\n');
  });
  return [INTRODUCTION, ...sections].join('\n');
}

/**
 * .env.example: every variable, commented out, with its default.
 *
 * @param {readonly SettingEntry[]} settings
 * @returns {string}
 */
export function environmentExample(settings) {
  const head = '# Copy this file to .env and uncomment what you want to change. All of it is optional.\n';
  const sections = groupsOf(settings).map(([group, entries]) => {
    const lines = entries.flatMap((entry) => [
      `# ${entry.description.replaceAll('`', '')}`,
      `# Default: ${defaultOf(entry).replaceAll('`', '')}. Must be ${entry.rule.expectation}.`,
      `#${entry.name}=${entry.fallback ?? ''}`,
      '',
    ]);
    return [`# --- ${group} ---`, '', ...lines].join('\n');
  });
  return `${[head, ...sections].join('\n').trimEnd()}\n`;
}

/**
 * @param {readonly SettingEntry[]} settings
 * @returns {[string, SettingEntry[]][]}
 */
function groupsOf(settings) {
  /** @type {Map<string, SettingEntry[]>} */
  const groups = new Map();
  for (const entry of settings) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups];
}

/** @param {SettingEntry} entry */
function defaultOf(entry) {
  return entry.fallback === undefined ? (entry.fallbackText ?? 'not set') : `\`${entry.fallback}\``;
}

/**
 * Inside a table a bar would end the cell, and `<…>` outside of code would be taken for HTML.
 *
 * @param {string} text
 */
function cell(text) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('*', '\\*')))
    .join('`')
    .replaceAll('|', '\\|');
}
