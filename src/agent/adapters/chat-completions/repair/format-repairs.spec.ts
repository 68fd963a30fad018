import {
  itRepairs,
  type RepairRows,
  image,
  schema,
  asJson,
  when,
  has,
  json,
  contents,
} from '../../testing/repair-cases.js';
import { type ChatBody, openAiRefusal } from '../../testing/strict-server.js';

const ROWS: RepairRows = {
  'response_format: limits of a schema': {
    rules: [
      when(
        (body) => JSON.stringify(body['response_format'] ?? '').includes('minimum'),
        json(400, {
          message: "Invalid fields for schema with types ['number']: {'minimum'}",
          type: 'invalid_request_error',
          param: 'response_format',
          code: 'wrong_api_format',
        }),
      ),
    ],
    options: asJson,
    expected: (last) =>
      expect(last['response_format']).toEqual({
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object', properties: { n: { type: 'number' } } } },
      }),
  },
  'response_format: DeepSeek': {
    rules: [
      when(
        (body) => (body['response_format'] as { type?: string } | undefined)?.type === 'json_schema',
        openAiRefusal('This response_format type is unavailable now', null),
      ),
      when(
        (body) => !/json/i.test(JSON.stringify(body.messages)),
        openAiRefusal("Prompt must contain the word 'json' in some form", null),
      ),
    ],
    options: asJson,
    expected: (last) => {
      expect(last['response_format']).toEqual({ type: 'json_object' });
      expect(last.messages[0]).toEqual({ role: 'system', content: expect.stringContaining(JSON.stringify(schema)) });
    },
  },
  'response_format: any object as a schema, LM Studio': {
    rules: [
      when(
        (body) => (body['response_format'] as { type?: string } | undefined)?.type === 'json_object',
        json(400, { error: "'response_format.type' must be 'json_schema' or 'text'" }),
      ),
    ],
    options: { responseFormat: { type: 'json_object' } },
    expected: (last) =>
      expect(last['response_format']).toMatchObject({
        type: 'json_schema',
        json_schema: { schema: { type: 'object' } },
      }),
  },
  'response_format: in words only': {
    rules: [has('response_format', openAiRefusal('response_format is not supported by this model', 'response_format'))],
    options: asJson,
    requests: 3,
    expected: (last) => expect(contents(last)[0]).toContain(JSON.stringify(schema)),
  },
  ...Object.fromEntries(
    [
      json(500, {
        error: {
          code: 500,
          message: 'image input is not supported - hint: you may need to provide the mmproj',
          type: 'server_error',
        },
      }),
      json(500, { error: { code: 500, message: 'This model does not support image input', type: 'api_error' } }),
      json(400, {
        object: 'error',
        message: 'demo is not a multimodal model',
        type: 'BadRequestError',
        param: null,
        code: 400,
      }),
      json(400, {
        object: 'error',
        message: 'At most 0 image(s) may be provided in one prompt.',
        type: 'BadRequestError',
        code: 400,
      }),
      json(400, {
        error: {
          message: 'Invalid content type. image_url is only supported by certain models.',
          type: 'invalid_request_error',
          param: 'messages.[0].content.[1].type',
        },
      }),
      json(400, {
        error: {
          message:
            'Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`',
        },
      }),
      json(400, { error: 'Model does not support images. Please use a model that does.' }),
    ].map((refusal) => [
      `images: ${refusal.status} ${JSON.stringify(refusal.body)}`,
      {
        rules: [when((body: ChatBody) => JSON.stringify(contents(body)).includes('image_url'), refusal)],
        messages: [image],
        expected: (last: ChatBody) =>
          expect(contents(last)[0]).toContain('[The user sent an image, which this model cannot see.]'),
      },
    ]),
  ),
  'images: a model without eyes': {
    rules: [
      when(
        (body) => JSON.stringify(contents(body)).includes('image_url'),
        json(404, { error: { message: 'No endpoints found that support image input', code: 404 } }),
      ),
    ],
    messages: [image],
    expected: (last) => expect(contents(last)[0]).toContain('[The user sent an image, which this model cannot see.]'),
  },
  'content that must be a string': {
    rules: [
      when(
        (body) => contents(body).some(Array.isArray),
        openAiRefusal("'messages.0.content' : value must be a string", null),
      ),
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
    expected: (last) => expect(contents(last)).toEqual(['a\nb']),
  },
};

describe('repairs of refused requests about formats and contents (contract model-servers, section 1.4)', () => {
  itRepairs(ROWS);
});
