import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Caller, Needs } from '../../access/index.js';
import { type ListedModel, type ModelClient, type ModelFailureInfo, Models, ModelSettings } from '../../agent/index.js';
import { AppError, missingScope } from '../../common/index.js';
import { DtoPipe } from '../http/index.js';
import { ReadRoute } from './api-docs.js';
import {
  type ModelFailureDto,
  ModelReportDto,
  type ModelServerDto,
  ModelServerListDto,
  ModelTrialDto,
} from './dto/model.dto.js';
import { ModelTrials } from './model-trials.js';

/** The models, and trying them (contract console, section 9). */
@ApiTags('Agents and tools')
@Needs('ops:read')
@Controller('api/v1/models')
export class ModelServersController {
  constructor(
    private readonly models: Models,
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
    return { data: this.models.all.map((one) => this.serverDto(one)), nextCursor: null };
  }

  @Post('check')
  @HttpCode(200)
  @ApiOkResponse({ type: ModelReportDto })
  @ReadRoute(
    'Try the model',
    'Sends a model at most eight small requests: a text, a tool, its result, JSON, a limit, an image. ' +
      'Needs runs:write too, because it uses tokens. Whoever asks while a trial runs gets its report.',
    [400, 403, 404],
  )
  async check(@Query(DtoPipe) { name }: ModelTrialDto, @Caller() { scopes }: Caller): Promise<ModelReportDto> {
    if (!scopes.has('runs:write')) throw missingScope('runs:write');
    const { checks, requests, usage } = await this.trials.run(this.modelNamed(name));
    const shown = checks.map(({ name, outcome, note = null }) => ({ name, outcome, note }));
    return { checks: shown, requests, inputTokens: usage.input, outputTokens: usage.output };
  }

  /** @throws AppError RESOURCE_NOT_FOUND */
  private modelNamed(name: string | undefined): ModelClient {
    if (name === undefined) return this.models.main;
    const named = this.models.find(name);
    if (!named) throw new AppError('RESOURCE_NOT_FOUND', `There is no model with the name ${name}`);
    return named.client;
  }

  private serverDto(one: ListedModel): ModelServerDto {
    const { name, kind, address = null, profile = null, failures = [] } = one.client.info;
    return {
      name: one.name ?? name,
      model: name,
      isDefault: one.isMain,
      agents: one.agents ?? null,
      kind,
      address,
      reason: this.reasonOf(one),
      profile,
      failures: failures.map(failureDto),
    };
  }

  /** The settings choose what is called, unless the model was given in code. */
  private reasonOf({ name, isMain, client }: ListedModel): string {
    const { server, named } = this.settings;
    if (!isMain) return named.find((model) => model.name === name)?.server.reason ?? 'the code of this server';
    const { profile, kind } = client.info;
    const isConfigured = profile !== undefined || kind === 'offline' || server.kind === 'native';
    return isConfigured ? server.reason : 'the code of this server';
  }
}

function failureDto({ at, ...failure }: ModelFailureInfo): ModelFailureDto {
  return { at: at.toISOString(), ...failure };
}
