/** Where this wire is served: the documented place, and the one SDKs expect. */
export const PREFIXES = ['v1', 'compatible-mode/v1'] as const;

/** The prefix of the documented place. */
export const COMPATIBLE_MODE = '/compatible-mode/v1/';

/** Under which the API's description lists this wire. */
export const TAG = 'OpenAI Responses';
