// oxlint-disable-next-line no-throw-literal
throw 'just a text'
