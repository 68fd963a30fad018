import { ApiProperty } from '@nestjs/swagger';

/** The paths of the server's routes. */
export class EndpointsDto {
  /** Runs the agent; streams unless the request has `"stream": false`. */
  process!: string;
  /** The streaming route, the same as `process`. */
  stream!: string;
  /** Starts a run in the background. */
  task!: string;
  /** The state of a background run. */
  task_status!: string;
  /** Stops the run of a session. */
  stop!: string;
  health!: string;
  /** The documentation of this API, for a browser. */
  docs!: string;
  openapi!: string;
}

/** Name, version and endpoints of the server. */
export class ServiceInfoDto {
  /** @example "Parley" */
  service!: string;
  /** @example "0.1.0" */
  version!: string;
  /** The mode of the server. */
  mode!: string;
  endpoints!: EndpointsDto;
}

/** The model of requests that name none. */
export class ModelInfoDto {
  /** `offline` is a demo without a key; `openai-compatible` is a model server; else the provider of a model given in code. */
  kind!: string;
  /** @example "qwen-plus" */
  name!: string;
}

/** A change in the form of requests that a refusal of the model server has led to. */
export class ModelRepairDto {
  /** @example "limit" */
  kind!: string;
  /** @example "with max_completion_tokens instead of max_tokens" */
  says!: string;
  /** What the server said, without anything of a conversation. */
  sentence!: string;
}

/** How requests to the model server are written (contract model-servers, section 0). */
export class ModelProfileDto {
  /** @example "openai+gpt-5" */
  name!: string;
  /** What the profile was chosen by. @example "the host api.openai.com" */
  reason!: string;
  /** What refusals have changed since the process started. */
  repairs!: ModelRepairDto[];
  /** The value of `LLM_COMPAT` with which the repairs would not have been necessary. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  overrides!: Record<string, unknown>;
}

/** A model with a name of its own, which agents can choose. */
export class NamedModelDto {
  /** @example "fast" */
  name!: string;
  /** As that of `model`. */
  kind!: string;
  /** @example "qwen3:8b" */
  model!: string;
  /** The name of the profile by which requests to its server are written. @example "ollama+qwen3" */
  profile?: string;
  /** The agent types that may use it, in which * stands for any characters; absent: all. */
  agents?: string[];
}

/** Health of the process, with its model and database. */
export class HealthDto {
  /** @example "healthy" */
  status!: string;
  /** The mode of the server. */
  mode!: string;
  /** `ready`, or `not_ready` while the server shuts down. */
  runner!: string;
  /** @example "0.1.0" */
  version!: string;
  /** Seconds since the process started. */
  uptime!: number;
  /** For callers with the scope ops:read. */
  model?: ModelInfoDto;
  /** For callers with the scope ops:read, if there is a model server. */
  model_profile?: ModelProfileDto;
  /** For callers with the scope ops:read, if there are models with names (`LLM_MODELS`). */
  models?: NamedModelDto[];
  /** `sqlite` or `postgres`; for callers with the scope ops:read. */
  database?: string;
}

/** The response of a probe. */
export class ProbeDto {
  /** `ready` or `alive`. */
  status!: string;
}

/** A configured MCP server. */
export class McpServerStateDto {
  /** Its name in the configuration. @example "files" */
  label!: string;
  /** `idle` (not used yet), `connecting`, `up` or `down`. */
  state!: string;
  /** Whether readiness depends on it. */
  required!: boolean;
}

/** A configured remote agent. */
export class RemoteAgentStateDto {
  /** Its agent type. @example "travel" */
  name!: string;
  /** `idle` (not asked yet), `up` or `down`. */
  state!: string;
  /** Whether readiness depends on it. */
  required!: boolean;
}

/** The server can take requests. */
export class ReadinessDto {
  /** `ready`. */
  status!: string;
  /** The states of the configured MCP servers; absent if none is configured. */
  mcp_servers?: McpServerStateDto[];
  /** The states of the remote agents; absent if there is none. */
  remote_agents?: RemoteAgentStateDto[];
}

/** Why the server cannot take requests. */
export class ProbeErrorDto {
  /** @example "DATABASE_ERROR" */
  code!: string;
  /** @example "The database is not available" */
  message!: string;
}
