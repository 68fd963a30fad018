import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { checkModel, type ModelClient, type ModelInfo, type ModelReport, ModelSettings } from '../agent/index.js';
import { readSettings } from '../config/index.js';
import { table, type Terminal } from './command.js';

type Started = ModelClient & Partial<OnApplicationBootstrap & OnApplicationShutdown>;

/**
 * Tries the configured model and prints what works, which repairs were needed, and the settings that would make them
 * unnecessary.
 *
 * @param name one of LLM_MODELS; undefined: the model of agents that name none
 * @returns the exit code: 0 if everything works but images, 1 otherwise
 * @throws ConfigurationError, StartupError with a message that explains it
 */
export async function modelCommand(env: NodeJS.ProcessEnv, terminal: Terminal, name?: string): Promise<number> {
  const { createConfiguredClient } = await import('../app.module.js');
  const settings = readSettings(ModelSettings, env);
  const configured = name === undefined ? settings.main : settings.named.find((one) => one.name === name);
  if (!configured) {
    const names = settings.named.map((one) => one.name).join(', ');
    terminal.note(`LLM_MODELS has no model "${name}"${names === '' ? '' : `, only ${names}`}.`);
    return 1;
  }
  const { kind, reason } = configured.server;
  if (kind === 'offline') {
    terminal.note(
      'No model is configured: set LLM_BASE_URL, LLM_PROVIDER or the key of a provider, such as OPENAI_API_KEY.',
    );
    return 1;
  }
  // The report says what the log would say.
  Logger.overrideLogger(false);
  const client: Started = createConfiguredClient(configured, settings, { read: () => Promise.resolve(undefined) });
  // As in a server: a client may ask its model server what it is.
  await client.onApplicationBootstrap?.();
  const report = await checkModel(client);
  await client.onApplicationShutdown?.();
  const { info } = client;
  const place = info.address === undefined ? '' : ` at ${info.address}`;
  terminal.out(`${info.name} of ${info.kind}${place}, chosen by ${reason}`);
  if (info.profile) terminal.out(`Profile ${info.profile.name}, chosen by ${info.profile.reason}`);
  terminal.out(`\n${checksOf(report)}\n`);
  for (const line of repairsOf(info)) terminal.out(line);
  terminal.out(`Requests: ${report.requests}. Tokens: ${report.usage.input} in, ${report.usage.output} out`);
  return report.checks.every(({ name, outcome }) => outcome === 'works' || name === 'image') ? 0 : 1;
}

function checksOf({ checks }: ModelReport): string {
  return table(checks.map(({ name, outcome, note = '' }) => [name, outcome, note]));
}

function repairsOf({ profile }: ModelInfo): readonly string[] {
  if (!profile || profile.repairs.length === 0) return [];
  const repairs = profile.repairs.map(({ says, sentence }) => `  ${says}, because the server said: ${sentence}`);
  return [
    'Repairs, requests are now sent:',
    ...repairs,
    `Set LLM_COMPAT='${JSON.stringify(profile.overrides)}' to make them unnecessary.`,
    '',
  ];
}
