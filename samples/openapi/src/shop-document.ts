const order = {
  type: 'object',
  properties: {
    id: { type: 'integer', readOnly: true },
    seed: { type: 'string', description: 'The id of a seed' },
    packets: { type: 'integer', minimum: 1, maximum: 100 },
  },
  required: ['id', 'seed', 'packets'],
}
const answerOf = (schema: object) => ({
  description: 'ok',
  content: { 'application/json': { schema } },
})

/** The OpenAPI document of the shop. Usually, this is a file: `document: './shop.yaml'`. */
export const shopDocument = {
  openapi: '3.1.0',
  info: { title: 'Garden shop', version: '1' },
  paths: {
    '/seeds': {
      get: {
        operationId: 'find_seeds',
        summary: 'Lists seeds',
        tags: ['seeds'],
        parameters: [
          {
            name: 'sow',
            in: 'query',
            description: 'Month to sow',
            schema: { enum: ['March', 'April', 'May'] },
          },
        ],
        responses: {
          200: answerOf({
            type: 'array',
            items: { $ref: '#/components/schemas/Seed' },
          }),
        },
      },
    },
    '/orders': {
      post: {
        operationId: 'order_seeds',
        summary: 'Orders packets of a seed',
        tags: ['orders'],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Order' },
            },
          },
        },
        responses: { 201: answerOf({ $ref: '#/components/schemas/Order' }) },
      },
    },
    '/orders/{id}': {
      get: {
        operationId: 'get_order',
        summary: 'Returns an order',
        tags: ['orders'],
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'integer' },
          },
        ],
        responses: { 200: answerOf({ $ref: '#/components/schemas/Order' }) },
      },
    },
    // Not served: its tag is not included.
    '/staff': {
      get: { operationId: 'list_staff', tags: ['internal'], responses: {} },
    },
  },
  components: {
    schemas: {
      Seed: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          sow: { type: 'string' },
          cents: { type: 'integer' },
        },
        required: ['id', 'name'],
      },
      Order: order,
    },
  },
}
