import { gateway } from '@toolwright/gateway'
// #region pagination
import { createHost, type McpServer } from 'toolwright'

/** Adds many features at boot. Each could be a method of a class as well. */
function addMocks({ catalog }: McpServer): void {
  const numbers = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      String(index + 1).padStart(3, '0'),
    )
  for (const number of numbers(120)) {
    catalog.addTool({
      name: `mock_tool_${number}`,
      description: `Tool ${number}`,
      handler: () => number,
    })
  }
  for (const number of numbers(50)) {
    catalog.addPrompt({
      name: `mock_prompt_${number}`,
      description: `Prompt ${number}`,
      handler: () => number,
    })
  }
  for (const number of numbers(20)) {
    const uri = `mock://resource/${number}`
    catalog.addResource({
      uri,
      name: `resource_${number}`,
      mimeType: 'application/json',
      handler: () => ({ number }),
    })
  }
}

export const createPagination = async () =>
  createHost(
    await gateway({ controllers: [], pageSize: 100, onReady: addMocks }),
  )
// #endregion
