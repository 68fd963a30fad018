import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { ModelClient, type ModelFailureInfo, type ModelInfo, ModelSettings } from '../../agent/index.js';
import { missingScope } from '../../common/index.js';
import { ReadRoute } from './api-docs.js';
import { type ModelFailureDto, ModelReportDto, ModelServerListDto } from './dto/model.dto.js';
import { ModelTrials } from './model-trials.js';

/** The configured model, and trying it (contract console, section 9). */
@ApiTags('Agents and tools')
@Needs('ops:read')
@Controller('api/v1/models')
export class ModelServersController {
  constructor(
    private readonly model: ModelClient,
    private readonly settings: ModelSettings,
    private readonly trials: ModelTrials,
  ) {}

  @Get()
  @ApiOkResponse({ type: ModelServerListDto })
  @ReadRoute(
    'List model servers',
    'The profile, the repairs and the last failures as this process sees them; no request is sent to the server.',
    [403],
  )
  list(): ModelServerListDto {
    const { info } = this.model;
    const { name, kind, address = null, profile, failures = [] } = info;
    const shown = { name, kind, address, reason: this.reasonOf(info), profile: profile ?? null };
    return { data: [{ ...shown, failures: failures.map(failureDto) }], nextCursor: null };
  }

  @Post('check')
  @HttpCode(200)
  @ApiOkResponse({ type: ModelReportDto })
  @ReadRoute(
    'Try the model',
    'Sends the configured model at most eight small requests: a text, a tool, its result, JSON, a limit, an image. ' +
      'Needs runs:write too, because it uses tokens. Whoever asks while a trial runs gets its report.',
    [403],
  )
  async check(@Caller() { scopes }: Caller): Promise<ModelReportDto> {
    if (!scopes.has('runs:write')) throw missingScope('runs:write');
    const { checks, requests, usage } = await this.trials.run();
    const shown = checks.map(({ name, outcome, note = null }) => ({ name, outcome, note }));
    return { checks: shown, requests, inputTokens: usage.input, outputTokens: usage.output };
  }

  /** The settings choose what is called, unless the model was given in code. */
  private reasonOf({ kind, profile }: ModelInfo): string {
    const { server } = this.settings;
    const isConfigured = profile !== undefined || kind === 'offline' || server.kind === 'native';
    return isConfigured ? server.reason : 'the code of this server';
  }
}

function failureDto({ at, ...failure }: ModelFailureInfo): ModelFailureDto {
  return { at: at.toISOString(), ...failure };
}
