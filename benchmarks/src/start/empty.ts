process.stdin.once('data', () => process.stdout.write('{"result":{}}\n'))
