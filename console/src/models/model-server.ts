/** A change in the form of requests that a refusal of the server has led to. */
export interface ModelRepair {
  readonly kind: string;
  readonly says: string;
  readonly sentence: string;
}

/** A failure of model calls; equal ones are counted. */
export interface ModelFailure {
  readonly at: string;
  readonly count: number;
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly model: string;
  readonly address: string | null;
  readonly says: string | null;
  readonly cause: string | null;
}

/** A configured model server, as the process that answered sees it. */
export interface ModelServer {
  readonly name: string;
  readonly kind: string;
  readonly address: string | null;
  readonly reason: string;
  readonly profile: {
    readonly name: string;
    readonly reason: string;
    readonly repairs: readonly ModelRepair[];
    readonly overrides: object;
  } | null;
  readonly failures: readonly ModelFailure[];
}

/** What came of trying a model. */
export interface ModelReport {
  readonly checks: readonly {
    readonly name: string;
    readonly outcome: 'works' | 'failed' | 'unsupported' | 'skipped';
    readonly note: string | null;
  }[];
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The route of the models. */
export const MODELS_PATH = 'api/v1/models';
