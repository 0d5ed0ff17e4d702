import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from '@toolwright/testing'
import { container, MetricsHook } from 'toolwright'
import { CalculatorTools } from './calculator.js'
import { FigureTools } from './figures.js'

test('counts the calls of a tool', async () => {
  const services = container.createChildContainer()
  services.registerInstance(MetricsHook, new MetricsHook())
  await using measured = await connect({
    name: 'metrics',
    version: '1.0.0',
    controllers: [CalculatorTools, FigureTools],
    hooks: [MetricsHook],
    container: services,
  })
  const { content } = await measured.client.callTool({
    name: 'add',
    arguments: { a: 2, b: 3 },
  })
  assert.deepEqual(content, [{ type: 'text', text: '5' }])
  const figures = await measured.client.callTool({
    name: 'figures',
    arguments: {},
  })
  assert.match(JSON.stringify(figures.content), /\badd\b/)
})
