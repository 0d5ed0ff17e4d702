import { findHeaderParameters } from '../../../src/catalog/define/header-parameters.js'

describe('findHeaderParameters', () => {
  it('finds nothing in a schema without header parameters', () => {
    expect(findHeaderParameters({ type: 'object', properties: { a: { type: 'string' } } })).toEqual({
      found: [],
      errors: [],
    })
  })

  it('finds properties at every depth, with their path, type and lower-case header', () => {
    const schema = {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        place: {
          type: 'object',
          properties: {
            zone: { type: 'integer', 'x-mcp-header': 'Zone-1' },
            inner: { properties: { 'is.public': { type: 'boolean', 'x-mcp-header': 'Public' } } },
          },
        },
      },
    }

    expect(findHeaderParameters(schema)).toEqual({
      found: [
        { header: 'mcp-param-region', path: ['region'] },
        { header: 'mcp-param-zone-1', path: ['place', 'zone'] },
        { header: 'mcp-param-public', path: ['place', 'inner', 'is.public'] },
      ],
      errors: [],
    })
  })

  it('ignores a property with the name of the keyword', () => {
    const schema = {
      properties: { 'x-mcp-header': { type: 'string', 'x-mcp-header': 'Own' } },
      $defs: { 'x-mcp-header': { type: 'string' } },
      examples: [{ 'x-mcp-header': 'x' }],
      const: { 'x-mcp-header': 'x' },
    }

    expect(findHeaderParameters(schema)).toEqual({
      found: [{ header: 'mcp-param-own', path: ['x-mcp-header'] }],
      errors: [],
    })
  })

  it('accepts every character that HTTP allows in a name', () => {
    const property = { type: 'string', 'x-mcp-header': "!#$%&'*+-.^_`|~09AZaz" }

    expect(findHeaderParameters({ properties: { property } })).toEqual({
      found: [{ header: "mcp-param-!#$%&'*+-.^_`|~09azaz", path: ['property'] }],
      errors: [],
    })
  })

  it('reports each fault once, together with the valid parameters', () => {
    const schema = {
      properties: {
        good: { type: 'string', 'x-mcp-header': 'Good' },
        name: { type: 'string', 'x-mcp-header': 'not good' },
        type: { type: 'number', 'x-mcp-header': 'Number' },
      },
      anyOf: [{ properties: { deep: { type: 'string', 'x-mcp-header': 'Deep' } } }],
    }

    expect(findHeaderParameters(schema)).toEqual({
      found: [{ header: 'mcp-param-good', path: ['good'] }],
      errors: [
        `has "x-mcp-header" on 'name' with "not good", which is not an HTTP header name. Use letters, digits and -`,
        `has "x-mcp-header" on 'type', which is not a string, integer or boolean. Headers support only these types`,
        'has "x-mcp-header" outside of nested "properties". Headers are only supported inside of them. Move or remove it',
      ],
    })
  })
})
