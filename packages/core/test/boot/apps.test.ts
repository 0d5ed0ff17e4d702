import { McpResource, McpTool, type ResourceOptions, type ToolOptions } from '@toolwright/core'
import { findMistakes } from './find-problems.js'

/** The boot problems of a tool with these options, next to a page at ui://page. */
function diagnosticsOfTool(options: object): Promise<readonly string[]> {
  class Page {
    @McpResource('ui://page')
    page(): string {
      return ''
    }
  }

  class Tools {
    @McpTool(options as ToolOptions<undefined, undefined>)
    draw(): string {
      return ''
    }
  }

  return findMistakes(Page, Tools)
}

function diagnosticsOfResource(uri: string, options: object): Promise<readonly string[]> {
  class Pages {
    @McpResource(uri, options as ResourceOptions<undefined>)
    page(): string {
      return ''
    }
  }

  return findMistakes(Pages)
}

describe('a tool with a page', () => {
  test.each([
    [{ resourceUri: 'ui://page' }, []],
    [{ visibility: ['app'] }, []],
    [
      { resourceUri: 'ui://pages' },
      [
        "unknown-app-page: Tools.draw: its ui.resourceUri is 'ui://pages', but no such resource is served. " +
          'Serve it with @McpResource, or correct the URI.',
      ],
    ],
    [
      { resourceUri: 'https://example.com/' },
      [
        "bad-uri: Tools.draw: ui.resourceUri is the string 'https://example.com/', which is not the URI of an MCP App page. Begin it with ui://.",
      ],
    ],
    [{ resourceUri: 5 }, ["bad-option: Tools.draw: 'resourceUri' must be a string, got a number. Correct it."]],
    [{ visibility: ['user'] }, ['bad-option: Tools.draw: \'visibility/0\' must be one of "model", "app". Correct it.']],
    [{ visibility: [] }, ["bad-option: Tools.draw: 'visibility' must have at least 1 item. Correct it."]],
    [{ resourceURI: 'ui://page' }, ["bad-option: Tools.draw: its ui has unknown property 'resourceURI'. Correct it."]],
    [null, ['bad-option: Tools.draw: its ui must be an object, got null. Correct it.']],
  ])('is validated with ui %j', async (ui, diagnostics) => {
    expect(await diagnosticsOfTool({ ui })).toEqual(diagnostics)
  })

  it('is reported with both ui and _meta.ui', async () => {
    expect(
      await diagnosticsOfTool({ ui: { visibility: ['app'] }, _meta: { ui: { resourceUri: 'ui://page' } } }),
    ).toEqual([
      'bad-option: Tools.draw: it has both ui and _meta.ui. Remove _meta.ui: the server sends ui as _meta.ui.',
    ])
  })
})

describe('a page', () => {
  test.each([
    ['ui://page', { mimeType: 'text/html;profile=mcp-app', ui: { csp: {}, permissions: { camera: {} } } }, []],
    [
      'notes://page',
      { ui: { prefersBorder: true } },
      [
        "bad-uri: Pages.page: it has the option ui, but 'notes://page' is not the URI of an MCP App page. Begin it with ui://.",
      ],
    ],
    [
      'ui://page',
      { mimeType: 'text/html' },
      [
        "bad-option: Pages.page: 'ui://page' is the page of an MCP App, whose mimeType is always text/html;profile=mcp-app. Leave mimeType out.",
      ],
    ],
    [
      'ui://page',
      { ui: { csp: { connectDomains: 'https://a.example.com' } } },
      ["bad-option: Pages.page: 'csp/connectDomains' must be an array, got a string. Correct it."],
    ],
    [
      'ui://page',
      { ui: { permissions: { camera: true } } },
      ["bad-option: Pages.page: 'permissions/camera' must be an object, got a boolean. Correct it."],
    ],
    [
      'ui://page',
      { ui: { permissions: { cameras: {} } } },
      ["bad-option: Pages.page: 'permissions' has unknown property 'cameras'. Correct it."],
    ],
  ])('is validated: %s with %j', async (uri, options, diagnostics) => {
    expect(await diagnosticsOfResource(uri, options)).toEqual(diagnostics)
  })
})
