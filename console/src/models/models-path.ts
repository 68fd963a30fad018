/** The route of the models. */
export const MODELS_PATH = 'api/v1/models';
