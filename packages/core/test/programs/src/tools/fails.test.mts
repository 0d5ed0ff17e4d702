throw new Error('a test was loaded')
