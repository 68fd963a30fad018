import { Injectable } from '@nestjs/common';
import { type Histogram, type Labelled, LONG_SECONDS, Metrics, SHORT_SECONDS } from '../common/index.js';

const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];

/** What is counted of model calls and tool calls, under the names of the conventions for generative AI. */
@Injectable()
export class GenAiMetrics {
  /** By operation, provider, model and error. */
  readonly duration: Labelled<Histogram>;
  /** By operation, provider, model and type of the tokens. */
  readonly tokens: Labelled<Histogram>;
  /** By operation, provider and model. */
  readonly firstChunk: Labelled<Histogram>;
  /** By tool. */
  readonly toolDuration: Labelled<Histogram>;
  /** By tool and outcome. */
  readonly toolCalls;

  constructor(metrics: Metrics) {
    const call = ['operation', 'provider', 'model'];
    this.duration = metrics.histograms({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'How long model calls took. error is the code of the error, or none.',
      labels: [...call, 'error'],
      bounds: LONG_SECONDS,
    });
    this.tokens = metrics.histograms({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of model calls, as the provider has reported them.',
      labels: [...call, 'token_type'],
      bounds: TOKENS,
    });
    this.firstChunk = metrics.histograms({
      name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
      help: 'How long model calls took until their first event.',
      labels: call,
      bounds: SHORT_SECONDS,
    });
    this.toolDuration = metrics.histograms({
      name: 'gen_ai_execute_tool_duration_seconds',
      help: 'How long calls of tools of the server took.',
      labels: ['tool'],
      bounds: LONG_SECONDS,
    });
    this.toolCalls = metrics.counters({
      name: 'parley_tool_calls_total',
      help: 'Calls of tools of the server, by what became of them.',
      labels: ['tool', 'outcome'],
    });
  }
}
