/** Where the parts of the server are. */
export class EndpointsDto {
  /** Calls the agent; streams unless the request says `"stream": false`. */
  process!: string;
  /** The streaming address, the same as `process`. */
  stream!: string;
  /** Submits a run in the background. */
  task!: string;
  /** The state of a background run. */
  task_status!: string;
  /** Stops the run of a session. */
  stop!: string;
  health!: string;
  /** The documentation of this API, to be opened in a browser. */
  docs!: string;
  openapi!: string;
}

/** What answers here. */
export class ServiceInfoDto {
  /** @example "Parley" */
  service!: string;
  /** @example "0.1.0" */
  version!: string;
  /** How the server runs. */
  mode!: string;
  endpoints!: EndpointsDto;
}

/** Which model answers. */
export class ModelInfoDto {
  /** `offline` is a demo without a key; `openai-compatible` is a model server. */
  kind!: string;
  /** @example "qwen-plus" */
  name!: string;
}

/** That the process works, and as what. */
export class HealthDto {
  /** @example "healthy" */
  status!: string;
  /** How the server runs. */
  mode!: string;
  /** `ready`, or `not_ready` while the server shuts down. */
  runner!: string;
  /** @example "0.1.0" */
  version!: string;
  /** Seconds since the process started. */
  uptime!: number;
  model!: ModelInfoDto;
  /** `sqlite` or `postgres`. */
  database!: string;
}

/** The answer of a probe. */
export class ProbeDto {
  /** `ready` or `alive`. */
  status!: string;
}

/** An MCP server whose tools are on offer. */
export class McpServerStateDto {
  /** Its name in the configuration. @example "files" */
  label!: string;
  /** `idle` (nobody has asked for it yet), `connecting`, `up` or `down`. */
  state!: string;
  /** The server is not ready without it. */
  required!: boolean;
}

/** The server can take work. */
export class ReadinessDto {
  /** `ready`. */
  status!: string;
  /** How the configured MCP servers stand; absent when there are none. */
  mcp_servers?: McpServerStateDto[];
}

/** Why the server cannot take work. */
export class ProbeErrorDto {
  /** @example "DATABASE_ERROR" */
  code!: string;
  /** @example "The database is not available" */
  message!: string;
}
