import { ModelSettings } from '../agent/index.js';
import { choice, type ConfigurationProblem, setting, settings } from '../config/index.js';

/** Which samples are part of the server. */
export class SamplesSettings extends settings('Samples', {
  samples: setting('SAMPLES', choice('on', 'model', 'off'), {
    default: 'on',
    description:
      'The samples: the offline demo model, which answers if no model is configured, the weather and calendar tools, and the agent `worker`. `model` keeps only the demo model, as in projects of `parley init`. `off` leaves it out too: a model must then be configured. Without the tools a new database gets no calendar table, and `worker` exists only while it is the DEFAULT_AGENT.',
  }),
}) {
  /** Whether there are sample tools, with their tables, and the agent `worker` besides the default one. */
  get hasTools(): boolean {
    return this.samples === 'on';
  }

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const { server, llmApiKey, llmModels } = this.source.slice(ModelSettings);
    const isModelUnknown =
      llmApiKey !== undefined || llmModels !== undefined || MODEL_VARIABLES.some((name) => unusable.has(name));
    if (this.samples !== 'off' || server.kind !== 'offline' || isModelUnknown) return [];
    const message =
      'must be set, or DASHSCOPE_API_KEY or OPENAI_API_KEY, because SAMPLES is off and the offline demo model is a sample';
    return [{ name: 'LLM_BASE_URL', message }];
  }
}

/** A model is configured by one of these; if its value is invalid, that is already reported. */
const MODEL_VARIABLES = ['LLM_BASE_URL', 'LLM_API_KEY', 'DASHSCOPE_API_KEY', 'OPENAI_API_KEY'];
