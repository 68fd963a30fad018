/** Where the protocols of OpenAI are served: the path that SDKs expect, and the one of DashScope's documents. */
export const OPENAI_PREFIXES = ['v1', 'compatible-mode/v1'] as const;

/** The paths of one resource under both prefixes, such as `v1/models`. */
export function openAiPaths(resource: string): string[] {
  return OPENAI_PREFIXES.map((prefix) => `${prefix}/${resource}`);
}
