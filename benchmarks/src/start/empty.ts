import './report-usage.js'

process.stdin.once('data', () => process.stdout.write('{"result":{}}\n'))
