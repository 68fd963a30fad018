import { ModelSettings } from '../agent/index.js';
import { choice, type ConfigurationProblem, setting, settings } from '../config/index.js';

/** Whether the samples are part of the server. */
export class SamplesSettings extends settings('Samples', {
  samples: setting('SAMPLES', choice('on', 'off'), {
    default: 'on',
    description:
      'The samples: the offline demo model, which answers if no model is configured, and the weather and calendar tools. `off` leaves them out: a model must then be configured, and a new database gets no calendar table.',
  }),
}) {
  get enabled(): boolean {
    return this.samples === 'on';
  }

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const { server, llmApiKey, llmModels } = this.source.slice(ModelSettings);
    const isModelUnknown =
      llmApiKey !== undefined || llmModels !== undefined || MODEL_VARIABLES.some((name) => unusable.has(name));
    if (this.enabled || server.kind !== 'offline' || isModelUnknown) return [];
    const message =
      'must be set, or DASHSCOPE_API_KEY or OPENAI_API_KEY, because SAMPLES is off and the offline demo model is a sample';
    return [{ name: 'LLM_BASE_URL', message }];
  }
}

/** A model is configured by one of these; if its value is invalid, that is already reported. */
const MODEL_VARIABLES = ['LLM_BASE_URL', 'LLM_API_KEY', 'DASHSCOPE_API_KEY', 'OPENAI_API_KEY'];
